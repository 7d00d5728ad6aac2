#include "cli/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.hpp"

namespace doall::cli {

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

void result_file::write(const nlohmann::ordered_json& json) {
  using handler = nlohmann::ordered_json::error_handler_t;
  write(json.dump(2, ' ', false, handler::replace) + '\n');
}

void result_file::fail() const {
  throw failure(failed, fmt::format("cannot write the {} to {}", what_, name_));
}

void show_progress(const std::string& text) {
  static const bool shown = isatty(STDERR_FILENO) != 0;
  if (shown) fmt::print(stderr, "\r\033[K{}", text);
}

}  // namespace doall::cli
