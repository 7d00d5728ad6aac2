#include "topology/small_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

namespace doall::topology {

std::string contents(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char block[4096];
  for (ssize_t got; (got = read(file, block, sizeof block)) > 0;) {
    text.append(block, static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace doall::topology
