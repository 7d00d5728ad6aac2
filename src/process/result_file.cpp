#include "process/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "process/failure.hpp"
#include "process/say.hpp"

namespace doall::cli {

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

result_file::result_file(std::string name, std::string what)
    : name_(std::move(name)), what_(std::move(what)) {
  if (name_.empty()) return;
  out_.reset(std::fopen(name_.c_str(), "we"));
  if (!out_) fail();
}

void result_file::write(const std::string& text) {
  if (!is_wanted()) return;
  const bool is_whole = std::fwrite(text.data(), 1, text.size(), out_.get()) == text.size();
  const bool is_there = std::fclose(out_.release()) == 0 && is_whole;
  if (!is_there && errno != EPIPE) fail();  // a pipe that nobody reads any more is no failure
}

void result_file::write(const nlohmann::ordered_json& json) { write(json_text(json) + '\n'); }

void result_file::fail() const {
  throw failure(failed,
                fmt::format("cannot write the {} to {}: {}", what_, name_, std::strerror(errno)));
}

void require_different_files(const std::vector<result_option>& options) {
  namespace fs = std::filesystem;
  const auto is_same = [](const std::string& a, const std::string& b) {
    std::error_code error;
    if (fs::is_other(a, error)) return false;  // /dev/null
    if (fs::equivalent(a, b, error)) return true;
    return fs::weakly_canonical(fs::absolute(a), error) ==
           fs::weakly_canonical(fs::absolute(b), error);
  };
  for (auto one = options.begin(); one != options.end(); ++one) {
    for (auto other = options.begin(); other != one; ++other) {
      if (one->file.empty() || other->file.empty() || !is_same(one->file, other->file)) continue;
      throw failure(bad_usage,
                    fmt::format("{}={} and {}={} are one file, expected two; nothing was run",
                                other->option, other->file, one->option, one->file));
    }
  }
}

void show_progress(const std::string& text) {
  static const bool shown = isatty(STDERR_FILENO) != 0;
  if (shown) say("\r\033[K{}", text);
}

void show_progress(const std::string& text, std::size_t done, std::size_t all) {
  constexpr std::size_t columns = 20;
  const std::size_t full = all == 0 ? 0 : columns * std::min(done, all) / all;
  show_progress(
      fmt::format("[{:=<{}}{:{}}] {} of {}: {}", "", full, "", columns - full, done, all, text));
}

}  // namespace doall::cli
