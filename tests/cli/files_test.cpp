// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files.hpp"

#include "failure.hpp"
#include "files/mapped_file.hpp"
#include "files/output_file.hpp"
#include "memory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

namespace tridia::cli {
namespace {

TEST_F(Files, AppearWhenCommitted) {
  const std::string target = path("out");
  {
    output_file out(target, "--out", "head ", 4);
    std::memcpy(out.data(), "data", 4);
    out.release_pages();
    EXPECT_FALSE(fs::exists(target));
    out.commit();
  }
  EXPECT_EQ(contents(target), "head data");
  EXPECT_EQ(count(), 1);
}

TEST_F(Files, VanishOtherwise) {
  { output_file out(path("out"), "--out", "head", 1000); }
  EXPECT_EQ(count(), 0);
}

TEST_F(Files, AreReplacedAtTheEndOfALink) {
  std::ofstream(path("real")) << "old";
  fs::create_symlink("real", path("link"));
  output_file out(path("link"), "--out", "new", 0);
  out.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents(path("real")), "new");
}

TEST_F(Files, OnlyFilesAreReplaced) {
  EXPECT_THROW(output_file("/dev/null", "--out", "x", 0), failure);
  EXPECT_THROW(output_file(path("."), "--out", "x", 0), failure);
  EXPECT_THROW(output_file(path("missing/out"), "--out", "x", 0), failure);
  EXPECT_EQ(count(), 0);
}

TEST_F(Files, AreMapped) {
  std::ofstream(path("in")) << "text";
  const mapped_file in(path("in"), "--d");
  EXPECT_EQ(in.bytes().size(), 4u);
  EXPECT_EQ(std::memcmp(in.bytes().data(), "text", 4), 0);
  advise(in.bytes().data(), 4, page_advice::populate_read);
  advise(in.bytes().data(), 4, page_advice::release);
  EXPECT_EQ(std::memcmp(in.bytes().data(), "text", 4), 0);
}

TEST_F(Files, ThatCannotBeMappedAreRefused) {
  std::ofstream(path("empty")).flush();
  for (const std::string& name :
       {path("empty"), path("missing"), path("."), std::string("/dev/zero")}) {
    try {
      mapped_file(name, "--d");
      ADD_FAILURE() << name;
    } catch (const failure& f) {
      EXPECT_EQ(f.code(), exit_bad_input);
      EXPECT_EQ(std::string(f.what()).rfind("--d: '" + name + "'", 0), 0u) << f.what();
    }
  }
}

TEST(Memory, RoomThatThereIsNot) {
  EXPECT_NO_THROW(require_memory(1 << 20));
  EXPECT_THROW(require_memory(std::uint64_t{1} << 62), std::bad_alloc);
}

TEST(Failure, ErrorsOfTheMachineAreNoBadInput) {
  for (const int error : {ENOMEM, ENOSPC, EIO, EMFILE, ENFILE, EAGAIN, EDQUOT, EFBIG}) {
    EXPECT_EQ(code_of(error), exit_failure) << error;
  }
  for (const int error : {ENOENT, EACCES, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, EROFS}) {
    EXPECT_EQ(code_of(error), exit_bad_input) << error;
  }
}

TEST(Memory, Amounts) {
  EXPECT_EQ(parse_bytes("1000", "--memory"), 1000u);
  EXPECT_EQ(parse_bytes("64K", "--memory"), 65536u);
  EXPECT_EQ(parse_bytes("2G", "--memory"), 2147483648u);
  EXPECT_EQ(parse_bytes("1.5GiB", "--memory"), 1610612736u);
  EXPECT_EQ(parse_bytes("3MB", "--memory"), 3145728u);
  for (const char* text : {"", "G", "2X", "2GG", "-1", "0", "nan", "inf", "1e30", "2 G", "0.1"}) {
    EXPECT_THROW(parse_bytes(text, "--memory"), failure) << text;
  }
  EXPECT_GT(available_memory(), 0u);
  EXPECT_EQ(bytes_text(1000), "1000 bytes");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB");
}

}  // namespace
}  // namespace tridia::cli
