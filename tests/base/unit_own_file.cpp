// Files that a process leaves: whose they are, and what is not opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file_text.hpp"
#include "base/own_file.hpp"
#include "support/temp_folder.hpp"

namespace doall::base {
namespace {

TEST(OwnFile, IsItsOwnersAlone) {
  const tests::temp_folder folder;
  const std::string path = folder.path() + "/made";
  const mode_t before = umask(0);
  const int file = open_own_file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL);
  umask(before);
  ASSERT_GE(file, 0);
  close(file);
  struct stat found{};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  EXPECT_LT(open_own_file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL), 0);
  EXPECT_EQ(errno, EEXIST);
}

TEST(OwnFile, IsNoLink) {
  const tests::temp_folder folder;
  folder.write("victim", "untouched");
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink(folder.path() + "/victim", link);
  EXPECT_LT(open_own_file(link.c_str(), O_WRONLY | O_TRUNC), 0);
  EXPECT_EQ(errno, ELOOP);
  EXPECT_EQ(contents(folder.path() + "/victim"), "untouched");
}

TEST(OwnFile, IsNoFifoThatHoldsItsOpener) {
  const tests::temp_folder folder;
  const std::string path = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_LT(open_own_file(path.c_str(), O_RDWR), 0);
  EXPECT_EQ(errno, EPERM);
}

TEST(OwnFile, IsNotAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const tests::temp_folder folder;
  folder.write("others", "theirs");
  const std::string path = folder.path() + "/others";
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  EXPECT_LT(open_own_file(path.c_str(), O_RDWR), 0);
  EXPECT_EQ(errno, EPERM);
  // Unless all files of the folder are its owner's.
  ASSERT_EQ(chown(folder.path().c_str(), 65534, 65534), 0);
  const int file = open_own_file(path.c_str(), O_RDWR);
  EXPECT_GE(file, 0);
  close(file);
}

TEST(OwnFile, IsNamedByTheEnvironment) {
  setenv("DOALL_TEST_PATH", " /a/b ", 1);
  EXPECT_EQ(env_path("DOALL_TEST_PATH"), "/a/b");
  unsetenv("DOALL_TEST_PATH");
  EXPECT_EQ(env_path("DOALL_TEST_PATH"), std::nullopt);
}

}  // namespace
}  // namespace doall::base
