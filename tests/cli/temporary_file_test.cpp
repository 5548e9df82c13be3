// Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
#include "files/temporary_file.hpp"

#include "files.hpp"

#include "failure.hpp"
#include "files/cleanup.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace tridia::cli {
namespace {

/// Runs each test with files without a name, if the file system has them, and with files that have
/// one.
class TemporaryFile : public Files, public ::testing::WithParamInterface<temporary_name> {
 protected:
  TemporaryFile() {
    if (GetParam() == temporary_name::always) return;
    if (temporary_file(path("probe"), "--out").has_name()) skip_ = true;
  }
  void SetUp() override {
    if (skip_) GTEST_SKIP() << "files need a name in " << path("");
  }

  [[nodiscard]] std::string out() const { return path("out"); }
  [[nodiscard]] temporary_file open() const { return {out(), "--out", GetParam()}; }
  static void write(const temporary_file& file, std::string_view text) {
    ASSERT_EQ(::write(file.descriptor(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  static mode_t mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode;
  }
  void expect_permissions_of_a_new_file() const {
    std::ofstream(path("new")) << "new";
    temporary_file file = open();
    file.commit();
    EXPECT_EQ(mode_of(out()), mode_of(path("new")));
  }

 private:
  bool skip_ = false;
};

INSTANTIATE_TEST_SUITE_P(, TemporaryFile,
                         ::testing::Values(temporary_name::if_needed, temporary_name::always),
                         [](const auto& test) {
                           return test.param == temporary_name::always ? "WithName" : "WithoutName";
                         });

TEST_P(TemporaryFile, IsSeenOnlyIfItHasAName) {
  const temporary_file file = open();
  EXPECT_EQ(file.has_name(), GetParam() == temporary_name::always);
  EXPECT_EQ(count(), file.has_name() ? 1 : 0);
}

TEST_P(TemporaryFile, CanBeOpenedOnceMore) {
  const temporary_file file = open();
  std::ofstream(file.temporary_path()) << "text";
  EXPECT_EQ(contents(file.temporary_path()), "text");
  std::array<char, 4> read{};
  EXPECT_EQ(::read(file.descriptor(), read.data(), read.size()), 4);
  EXPECT_EQ(std::string_view(read.data(), read.size()), "text");
}

TEST_P(TemporaryFile, GetsItsName) {
  temporary_file file = open();
  write(file, "text");
  file.commit();
  EXPECT_EQ(contents(out()), "text");
  EXPECT_EQ(count(), 1);
}

TEST_P(TemporaryFile, ReplacesAFileAsAWhole) {
  std::ofstream(out()) << "an older text";
  fs::create_hard_link(out(), path("other"));
  temporary_file file = open();
  write(file, "text");
  EXPECT_EQ(contents(out()), "an older text");
  file.commit();
  EXPECT_EQ(contents(out()), "text");
  EXPECT_EQ(contents(path("other")), "an older text");
  EXPECT_EQ(count(), 2);
}

TEST_P(TemporaryFile, ReplacesAFileThatCameLater) {
  temporary_file file = open();
  std::ofstream(out()) << "later";
  file.commit();
  EXPECT_EQ(contents(out()), "");
  EXPECT_EQ(count(), 1);
}

TEST_P(TemporaryFile, LeavesNothingWhereItCannotHaveItsName) {
  {
    temporary_file file = open();
    fs::create_directory(out());
    EXPECT_THROW(file.commit(), failure);
  }
  EXPECT_TRUE(fs::is_directory(out()));
  EXPECT_EQ(count(), 1);
}

TEST_P(TemporaryFile, VanishesOtherwise) {
  { const temporary_file file = open(); }
  EXPECT_EQ(count(), 0);
}

TEST_P(TemporaryFile, HasThePermissionsOfANewFile) {
  const mode_t before = ::umask(027);
  expect_permissions_of_a_new_file();
  EXPECT_EQ(mode_of(out()) & 0777, 0640U);
  ::umask(before);
}

TEST_P(TemporaryFile, HasThePermissionsThatTheDirectoryGives) {
  // This ACL is of version 2, with rwx for the user and the group, - for others; each entry is tag,
  // permissions, no identifier.
  constexpr std::string_view acl(
      "\2\0\0\0\1\0\7\0\xff\xff\xff\xff\4\0\7\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff", 28);
  if (::setxattr(path("").c_str(), "system.posix_acl_default", acl.data(), acl.size(), 0) != 0) {
    GTEST_SKIP() << "no access control lists here";
  }
  const mode_t before = ::umask(027);
  expect_permissions_of_a_new_file();
  EXPECT_EQ(mode_of(out()) & 0777, 0660U);
  ::umask(before);
}

/// Tests what ends the process in the middle; suites of this name run before threads are started.
class TemporaryFileDeathTest : public Files {
 protected:
  ~TemporaryFileDeathTest() override { EXPECT_EQ(count(), 0); }
  template <class F>
  void in_the_middle(F end) const {
    handle_exhausted_memory();
    const temporary_file file(path("out"), "--out", temporary_name::always);
    end();
  }
};

TEST_F(TemporaryFileDeathTest, Exit) {
  EXPECT_EXIT(in_the_middle([] { std::exit(1); }), ::testing::ExitedWithCode(1), "");
}

TEST_F(TemporaryFileDeathTest, Signal) {
  EXPECT_EXIT(in_the_middle([] { ::raise(SIGTERM); }), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(in_the_middle([] { ::raise(SIGBUS); }), ::testing::ExitedWithCode(exit_failure),
              "a disk failed");
}

TEST_F(TemporaryFileDeathTest, NoMemoryInAThread) {
  const auto end = [] { std::thread([] { throw std::bad_alloc(); }).join(); };
  EXPECT_EXIT(in_the_middle(end), ::testing::ExitedWithCode(exit_failure), "memory ran out");
}

TEST_F(TemporaryFileDeathTest, AnyOtherExceptionInAThread) {
  const auto end = [] { std::thread([] { throw std::logic_error("a fault"); }).join(); };
  EXPECT_EXIT(in_the_middle(end), ::testing::KilledBySignal(SIGABRT), "a fault");
}

}  // namespace
}  // namespace tridia::cli
