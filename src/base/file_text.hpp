// The text of files, read and written by plain system calls. What the libraries link has none of
// libstdc++'s streams: these bring locales, some 2,600 places that the dynamic linker has to
// relocate when a program starts, and their first use costs more than all that a start reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace doall::base {

// The whole file; nothing when it cannot be read. The kernel's, such as those below /proc and /sys,
// too.
std::optional<std::string> contents(const std::string& path);

// Writes text to an open file, in large pieces, and closes it.
class text_file {
 public:
  // -1: there is none, and nothing can be written.
  explicit text_file(int descriptor) : descriptor_(descriptor), is_whole_(descriptor >= 0) {}
  ~text_file() { close(); }
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;

  void write(std::string_view text);
  bool close();  // whether all was written

 private:
  void write_waiting();

  int descriptor_;
  bool is_whole_;
  std::string waiting_;
};

// A text's lines, from the first to the last.
class text_lines {
 public:
  explicit text_lines(std::string_view text) : rest_(text) {}

  // Without its end, which the last one may lack; nothing when there are no more.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return line;
  }
  bool has_whole() const { return rest_.find('\n') != rest_.npos; }  // the next one has an end
  std::size_t number() const { return number_; }                     // of the last one, from 1

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace doall::base
