// A new folder that only this user may enter; it is deleted with the object.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace doall::cli {

class temp_folder {
 public:
  temp_folder();  // in TMPDIR or /tmp; throws failure (failed)
  ~temp_folder();
  temp_folder(const temp_folder&) = delete;
  temp_folder& operator=(const temp_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Runs make(), which makes a folder that a program's run can do without. If it throws failure, says
// on standard error why there will be no `what`, and returns false: the program runs all the same.
bool could_make(const std::string& what, const std::function<void()>& make);

}  // namespace doall::cli
