// A new folder that only this user may enter; it is deleted with the object.
#pragma once

#include <filesystem>

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

}  // namespace doall::cli
