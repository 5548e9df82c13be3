// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "c_api/guard.hpp"

#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

namespace tridia::c_api {
namespace {

struct last_sentence {
  std::string text;
  bool lost = false;  ///< There was no memory for it.
};
thread_local last_sentence last;

tridia_result remember(tridia_result result, const char* sentence) noexcept {
  try {
    last.text = sentence;
    last.lost = false;
  } catch (...) {
    last.lost = true;
  }
  return result;
}

}  // namespace

tridia_result result_of_exception() noexcept {
  try {
    throw;
  } catch (const error& e) {
    return remember(static_cast<tridia_result>(static_cast<int>(e.code())), e.what());
  } catch (const std::bad_alloc&) {
    return remember(TRIDIA_OUT_OF_MEMORY, "host memory ran out");
  } catch (const std::length_error&) {
    return remember(TRIDIA_OUT_OF_MEMORY, "an array would be larger than any memory");
  } catch (const std::exception& e) {
    return remember(TRIDIA_UNKNOWN_ERROR, e.what());
  } catch (...) {
    return remember(TRIDIA_UNKNOWN_ERROR, "an error that is no std::exception");
  }
}

void copy_text(std::string_view from, char* text, std::size_t size, std::size_t* needed) {
  const std::size_t bytes = from.size() + 1;
  if (text == nullptr && size > 0) refuse("text: is null, but size is " + std::to_string(size));
  if (text == nullptr && needed == nullptr) refuse("needed: is null, and text is as well");
  if (text != nullptr && size < bytes) {
    refuse("size: is " + std::to_string(size) + ", but the text takes " + std::to_string(bytes) +
           " bytes");
  }
  if (text != nullptr) {
    std::memcpy(text, from.data(), from.size());
    text[from.size()] = '\0';
  }
  if (needed != nullptr) *needed = bytes;
}

}  // namespace tridia::c_api

extern "C" {

const char* tridia_last_error(void) {
  const auto& last = tridia::c_api::last;
  return last.lost ? "host memory ran out, also for a sentence" : last.text.c_str();
}

const char* tridia_result_name(int result) {
  switch (result) {
    case TRIDIA_UNKNOWN_ERROR:
      return "unknown_error";
    case TRIDIA_SUCCESS:
      return "success";
    case TRIDIA_INVALID_ARGUMENT:
      return "invalid_argument";
    case TRIDIA_UNSUPPORTED:
      return "unsupported";
    case TRIDIA_OUT_OF_MEMORY:
      return "out_of_memory";
    case TRIDIA_WRONG_DEVICE:
      return "wrong_device";
    case TRIDIA_DEVICE_FAILURE:
      return "device_failure";
    case TRIDIA_SINGULAR:
      return "singular";
    case TRIDIA_PEER_FAILURE:
      return "peer_failure";
    default:
      return "invalid";
  }
}

}  // extern "C"
