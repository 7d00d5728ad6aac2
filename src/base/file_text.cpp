#include "base/file_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace doall::base {

std::optional<std::string> contents(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::string text;
  char block[4096];
  ssize_t got = 0;
  while ((got = read(file, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
  }
  close(file);
  if (got < 0) return std::nullopt;
  return text;
}

void text_file::write(std::string_view text) {
  constexpr std::size_t waiting_most = 4096;
  waiting_ += text;
  if (waiting_.size() >= waiting_most) write_waiting();
}

bool text_file::close() {
  if (descriptor_ >= 0) {
    write_waiting();
    if (::close(descriptor_) != 0) is_whole_ = false;
    descriptor_ = -1;
  }
  return is_whole_;
}

void text_file::write_waiting() {
  std::string_view left = waiting_;
  while (is_whole_ && !left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written > 0)
      left.remove_prefix(static_cast<std::size_t>(written));
    else
      is_whole_ = false;
  }
  waiting_.clear();
}

}  // namespace doall::base
