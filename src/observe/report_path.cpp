#include "observe/report_path.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/own_file.hpp"

namespace doall::observe {

std::string program_name() {
  char path[4096];
  const auto length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "?";
}

std::string new_file_in(const std::string& folder, const std::string& name) {
  constexpr int most_of_one_number = 100'000;
  const std::string usual = folder + "/" + name + "." + std::to_string(getpid());
  std::string path = usual;
  for (int again = 2; again <= most_of_one_number; ++again) {
    const int made = base::open_own_file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL);
    if (made >= 0) close(made);
    if (made >= 0 || errno != EEXIST) break;
    path = usual + "." + std::to_string(again);
  }
  return path;
}

}  // namespace doall::observe
