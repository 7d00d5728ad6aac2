// A file that a command's results go to, and what a terminal shows until they are there.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace doall::cli {

// Text that is not UTF-8, as names of files and functions may be, is shown as far as it can be.
// `indent`: of a level; -1: all in one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

// Opened before the work is done, so that a bad name shows then and not after it. Throws failure
// (failed), as writing does. The programs that the command runs meanwhile do not inherit it.
class result_file {
 public:
  // "": nowhere. `what`: for the message.
  explicit result_file(std::string name, std::string what = "results");
  bool is_wanted() const { return out_ != nullptr; }
  void write(const std::string& text);
  void write(const nlohmann::ordered_json& json);

 private:
  [[noreturn]] void fail() const;

  struct closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string name_;
  std::string what_;
  std::unique_ptr<std::FILE, closing> out_;
};

// An option that names a file for results; "": it was not given.
struct result_option {
  const char* option;
  std::string file;
};

// Throws failure (bad_usage) if two options name one and the same file.
void require_different_files(const std::vector<result_option>& options);

// What is being done, in one line of a terminal; an empty text clears it.
void show_progress(const std::string& text);
// The same behind a bar: so many of all steps are done.
void show_progress(const std::string& text, std::size_t done, std::size_t all);

}  // namespace doall::cli
