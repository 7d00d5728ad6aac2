#include "process/temp_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "process/failure.hpp"
#include "process/say.hpp"

namespace doall::cli {

namespace fs = std::filesystem;

temp_folder::temp_folder() {
  const char* variable = std::getenv("TMPDIR");
  // Absolute: the program that writes into it may change its folder.
  const fs::path parent =
      fs::absolute(variable != nullptr && *variable != '\0' ? variable : "/tmp");
  std::string name = (parent / "doall-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw failure(failed, fmt::format("cannot make a temporary folder in {}: {}", parent.string(),
                                      std::strerror(errno)));
  }
  path_ = name;
}

temp_folder::~temp_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
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
