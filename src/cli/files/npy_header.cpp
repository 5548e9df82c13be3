// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace tridia::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::array types = {value_type::f32, value_type::f64, value_type::c64, value_type::c128};

/// Returns text of a file in a form that is safe to print: short, and without control characters.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 32)) out += (c < ' ' || c > '~') ? '?' : c;
  return out + (text.size() > 32 ? "…'" : "'");
}

/// Parses the only Python literal that a header may be:
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class header_parser {
 public:
  header_parser(std::string_view text, npy_kind kind) : text_(text), kind_(kind) {}

  npy_header parse() {
    expect('{');
    while (!take('}')) {
      entry();
      if (take(',')) continue;
      expect('}');
      break;
    }
    if (skip_space(); at_ != text_.size()) fail("text after its closing brace");
    return finish();
  }

 private:
  void entry() {
    const std::string_view key = string("a key");
    expect(':');
    if (key == "descr") {
      set(type_, type(), key);
    } else if (key == "fortran_order") {
      set(fortran_order_, boolean(), key);
    } else if (key == "shape") {
      set(shape_, tuple(), key);
    } else {
      fail("the unknown key " + quoted(key));
    }
  }

  npy_header finish() {
    if (!type_) fail("no key 'descr'");
    if (!fortran_order_) fail("no key 'fortran_order'");
    if (!shape_) fail("no key 'shape'");
    return {*type_, *fortran_order_, std::move(*shape_), 0};
  }

  template <class T>
  void set(std::optional<T>& field, T value, std::string_view key) {
    if (field) fail("the key " + quoted(key) + " twice");
    field = std::move(value);
  }

  value_type type() {
    skip_space();
    if (peek() == '[') throw npy_error("holds a structured type; save one field of it instead");
    const std::string_view descr = string("the type as a string");
    if (kind_ == npy_kind::integers) {
      if (descr == "<i8") return value_type::f64;
      throw npy_error(
          fmt::format("holds the type {}, but integers are read as '<i8' alone: save "
                      "a.astype('<i8') instead",
                      quoted(descr)));
    }
    for (const value_type t : types) {
      if (descr == npy_descr(t)) return t;
    }
    refuse_type(descr);
  }

  [[noreturn]] static void refuse_type(std::string_view descr) {
    if (!descr.empty() && descr.front() == '>') {
      throw npy_error(
          fmt::format("holds big-endian numbers ({}); only little-endian ones ('<f4', '<f8', "
                      "'<c8', '<c16') are "
                      "read: save a.astype(a.dtype.newbyteorder('<'))",
                      quoted(descr)));
    }
    if (descr.find('O') != std::string_view::npos) {
      throw npy_error(
          "holds Python objects ('|O'), which are not read: save a.astype('<f8') instead");
    }
    throw npy_error(
        fmt::format("holds the type {}, but only '<f4', '<f8', '<c8' and '<c16' can be solved with",
                    quoted(descr)));
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::string_view(word).size();
        return value;
      }
    }
    fail("something else than True or False for 'fortran_order'");
  }

  std::vector<index_t> tuple() {
    std::vector<index_t> entries;
    bool comma = true;
    expect('(');
    while (!take(')')) {
      if (!comma) fail("a shape without a comma between its extents");
      if (entries.size() == npy_axes_limit) fail(fmt::format("more than {} axes", npy_axes_limit));
      entries.push_back(integer());
      comma = take(',');
    }
    if (entries.size() == 1 && !comma) fail("a shape that is not a tuple");
    return entries;
  }

  index_t integer() {
    skip_space();
    if (peek() == '-') fail("a negative extent");
    if (!is_digit(peek())) fail("a shape with something else than integers");
    index_t value = 0;
    for (; is_digit(peek()); ++at_) {
      const index_t digit = peek() - '0';
      if (value > (std::numeric_limits<index_t>::max() - digit) / 10) {
        fail("an extent that does not fit into 64 bits");
      }
      value = value * 10 + digit;
    }
    return value;
  }

  std::string_view string(const char* what) {
    skip_space();
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(fmt::format("something else instead of {}", what));
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail("a string without an end");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n\r\f", at_), text_.size()); }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(fmt::format("no '{}' where one belongs", c));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw npy_error(fmt::format("has a broken header: {} (character {})", what, at_));
  }

  std::string_view text_;
  npy_kind kind_;
  std::size_t at_ = 0;
  std::optional<value_type> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<index_t>> shape_;
};

/// Throws if the number of bytes overflows. Extents of 0 count as 1, so that strides over the other
/// axes do not overflow either.
void check_overflow(const npy_header& header) {
  auto room = std::numeric_limits<index_t>::max() / static_cast<index_t>(size_of(header.type));
  for (const index_t extent : header.shape) {
    if (extent > room) {
      throw npy_error(fmt::format("has a broken header: the shape {} needs more than 2^63 bytes",
                                  shape_text(header.shape)));
    }
    room /= std::max<index_t>(extent, 1);
  }
}

/// Holds where the header's text lies.
struct text_span {
  std::size_t begin, size;
};

text_span locate_text(std::string_view bytes) {
  if (bytes.empty()) throw npy_error("is empty");
  if (!bytes.starts_with(magic.substr(0, bytes.size()))) {
    throw npy_error("is not an NPY file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [&](std::size_t k) -> unsigned {
    if (k >= bytes.size()) {
      throw npy_error(
          fmt::format("is truncated: it ends in its header, after {} bytes", bytes.size()));
    }
    return static_cast<unsigned char>(bytes[k]);
  };
  const unsigned major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    throw npy_error(fmt::format("has NPY version {}.{}; 1.0, 2.0 and 3.0 are read", major, minor));
  }
  if (major == 1) return {10, byte(8) | byte(9) << 8};
  return {12, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

}  // namespace

npy_header parse_npy_header(std::span<const std::byte> bytes, npy_kind kind) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const text_span text = locate_text(file);
  if (text.size > npy_header_limit) {
    throw npy_error(
        fmt::format("has a header of {} bytes; at most {} are read", text.size, npy_header_limit));
  }
  if (text.size > file.size() - text.begin) {
    throw npy_error(
        fmt::format("is truncated: its header needs {} bytes, but the file ends after {}",
                    text.begin + text.size, file.size()));
  }
  npy_header header = header_parser(file.substr(text.begin, text.size), kind).parse();
  header.data_offset = text.begin + text.size;
  check_overflow(header);
  return header;
}

std::uint64_t npy_data_bytes(const npy_header& header) {
  std::uint64_t bytes = size_of(header.type);
  for (const index_t extent : header.shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

void check_npy_size(const npy_header& header, std::uint64_t file_bytes) {
  const std::uint64_t needed = npy_data_bytes(header);
  const std::uint64_t found = file_bytes - header.data_offset;
  if (found == needed) return;
  const std::string promise = fmt::format("shape {} of {} needs {} bytes of data",
                                          shape_text(header.shape), npy_descr(header.type), needed);
  if (found < needed)
    throw npy_error(fmt::format("is truncated: {}, but it has {}", promise, found));
  throw npy_error(fmt::format("has bytes after its data: {}, but it has {}", promise, found));
}

std::string format_npy_header(const npy_header& header) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", npy_descr(header.type),
                  header.fortran_order ? "True" : "False", shape_text(header.shape));
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  const char length[] = {static_cast<char>(text.size() & 0xff),
                         static_cast<char>(text.size() >> 8)};
  return std::string(magic).append("\1\0", 2).append(length, 2) + text;
}

std::string_view npy_descr(value_type type) noexcept {
  switch (type) {
    case value_type::f32:
      return "<f4";
    case value_type::f64:
      return "<f8";
    case value_type::c64:
      return "<c8";
    case value_type::c128:
      return "<c16";
  }
  return "";
}

std::string shape_text(std::span<const index_t> shape) {
  std::string out = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) {
    out += fmt::format("{}{}", k > 0 ? ", " : "", shape[k]);
  }
  return out + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tridia::cli
