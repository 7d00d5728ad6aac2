// What the command keeps for a while, in TMPDIR or /tmp.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace doall::cli {

// A new folder that only this user may enter; it is deleted with the object.
class temp_folder {
 public:
  temp_folder();  // throws failure (failed)
  ~temp_folder();
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A new file without a name, closed in programs that are executed. Throws failure (failed).
using nameless_file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
nameless_file make_nameless_file();

// Runs make(), which makes a folder that a program's run can do without. If it throws failure, says
// on standard error why there will be no `what`, and returns false: the program runs all the same.
bool could_make(const std::string& what, const std::function<void()>& make);

}  // namespace doall::cli
