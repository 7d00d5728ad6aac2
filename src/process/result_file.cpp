#include "process/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
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
  out_.open(name_);
  if (!out_) fail();
}

void result_file::write(const std::string& text) {
  if (!is_wanted()) return;
  out_ << text;
  out_.close();
  if (!out_) fail();
}

void result_file::write(const nlohmann::ordered_json& json) { write(json_text(json) + '\n'); }

void result_file::fail() const {
  throw failure(failed, fmt::format("cannot write the {} to {}", what_, name_));
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
