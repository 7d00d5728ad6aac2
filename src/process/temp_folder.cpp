#include "process/temp_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "process/failure.hpp"
#include "process/say.hpp"

namespace doall::cli {

namespace fs = std::filesystem;

namespace {

// Absolute: the program that writes there may change its folder.
fs::path temporary_place() {
  const char* variable = std::getenv("TMPDIR");
  return fs::absolute(variable != nullptr && *variable != '\0' ? variable : "/tmp");
}

failure cannot_make(const char* what) {
  return {failed, fmt::format("cannot make a temporary {} in {}: {}", what,
                              temporary_place().string(), std::strerror(errno))};
}

std::string name_to_be_made() { return (temporary_place() / "doall-XXXXXX").string(); }

}  // namespace

temp_folder::temp_folder() {
  std::string name = name_to_be_made();
  if (mkdtemp(name.data()) == nullptr) throw cannot_make("folder");
  path_ = name;
}

temp_folder::~temp_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

nameless_file make_nameless_file() {
  std::string name = name_to_be_made();
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw cannot_make("file");
  unlink(name.c_str());
  nameless_file made(fdopen(descriptor, "w+"), &std::fclose);
  if (!made) {
    close(descriptor);
    throw cannot_make("file");
  }
  return made;
}

bool could_make(const std::string& what, const std::function<void()>& make) {
  try {
    make();
    return true;
  } catch (const failure& f) {
    say("doall: there will be no {}: {}; the program runs all the same\n", what, f.what());
    return false;
  }
}

}  // namespace doall::cli
