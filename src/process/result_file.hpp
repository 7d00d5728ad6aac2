// A file that a command's results go to, and what a terminal shows until they are there.
#pragma once

#include <cstddef>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace doall::cli {

// Text that is not UTF-8, as names of files and functions may be, is shown as far as it can be.
// `indent`: of a level; -1: all in one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

// Opened before the work is done, so that a bad name shows then and not after it. Throws failure
// (failed), as writing does.
class result_file {
 public:
  // "": nowhere. `what`: for the message.
  explicit result_file(std::string name, std::string what = "results");
  bool is_wanted() const { return out_.is_open(); }
  void write(const std::string& text);
  void write(const nlohmann::ordered_json& json);

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::string what_;
  std::ofstream out_;
};

// What is being done, in one line of a terminal; an empty text clears it.
void show_progress(const std::string& text);
// The same behind a bar: so many of all steps are done.
void show_progress(const std::string& text, std::size_t done, std::size_t all);

}  // namespace doall::cli
