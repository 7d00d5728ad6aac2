#include "base/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/env.hpp"

namespace doall::base {
namespace {

// Whether files in its folder are this file's owner's.
bool is_of_folder(const char* path, uid_t owner) {
  const std::string_view name = path;
  const auto slash = name.rfind('/');
  const std::string folder(slash == name.npos ? "." : name.substr(0, slash + 1));
  struct stat found{};
  return stat(folder.c_str(), &found) == 0 && found.st_uid == owner;
}

}  // namespace

std::optional<std::string> env_path(const char* name) {
  return secure_getenv(name) != nullptr ? env_text(name) : std::nullopt;
}

int open_own_file(const char* path, int flags) {
  constexpr mode_t for_its_owner = 0600;
  // O_NONBLOCK: a FIFO would hold the opener; a regular file does not heed it.
  const int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, for_its_owner);
  if (file < 0 || (flags & O_EXCL) != 0) return file;
  struct stat found{};
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
      (found.st_uid == geteuid() || is_of_folder(path, found.st_uid)))
    return file;
  close(file);
  errno = EPERM;
  return -1;
}

}  // namespace doall::base
