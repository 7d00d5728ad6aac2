// The environment that a test's file needs before the runtime reads it. The files of a room are one
// program, so a file says what it needs at namespace scope, and main() does it when that file is
// chosen:
//
//   const tests::file_environment deep_stacks(__FILE__, "OMP_STACKSIZE", "1G");
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace doall::tests {

class file_environment {
 public:
  file_environment(const char* path, const char* name, const char* value)
      : file_environment(path, [=] { setenv(name, value, 1); }) {}
  // Whatever else is to be done before the first test of the file.
  file_environment(const char* path, std::function<void()> prepare) {
    all().emplace_back(std::filesystem::path(path).stem().string(), std::move(prepare));
  }

 private:
  friend void apply_environment_of(const std::string& file);
  using entry = std::pair<std::string, std::function<void()>>;
  static std::vector<entry>& all() {
    static std::vector<entry> entries;
    return entries;
  }
};

inline void apply_environment_of(const std::string& file) {
  for (const auto& [owner, prepare] : file_environment::all()) {
    if (owner == file) prepare();
  }
}

}  // namespace doall::tests
