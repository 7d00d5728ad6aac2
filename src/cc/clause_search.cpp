// Searches a project's sources for names of doall's schedules, before anything is compiled: only
// files that may have some take the longer way through the preprocessor (clause_step.hpp).
//
// Looks at the sources on the command line and, of C and C++, at the headers that they include and
// that lie beside them or in folders of -I, -iquote and -include; not at the system's.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cc/clause_step.hpp"
#include "cc/clause_text.hpp"
#include "cc/compiler_line.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sources[] = {".c",   ".cc",  ".cp",  ".cxx", ".cpp", ".c++", ".C",
                                        ".CPP", ".i",   ".ii",  ".f",   ".for", ".ftn", ".F",
                                        ".FOR", ".fpp", ".FPP", ".FTN", ".f90", ".f95", ".f03",
                                        ".f08", ".F90", ".F95", ".F03", ".F08"};
// May be precompiled.
constexpr std::string_view headers[] = {".h",   ".hh", ".hp",  ".hxx", ".hpp",
                                        ".h++", ".H",  ".HPP", ".tcc"};

template <std::size_t Count>
bool ends_as_one_of(const std::string_view (&endings)[Count], const std::string& name) {
  return std::ranges::find(endings, fs::path(name).extension().string()) != std::end(endings);
}

// -D's text is a macro's.
bool is_macro_with_name(const std::string& arg) { return may_name_schedule('#' + arg); }

class search {
 public:
  explicit search(const arguments& args) : args_(with_responses(args)) {}

  bool finds_any() {
    std::vector<fs::path> files;
    bool any = false;
    for (std::size_t i = 0; i < args_.size(); ++i) {
      const std::string& arg = args_[i];
      const std::string* const next = i + 1 < args_.size() ? &args_[i + 1] : nullptr;
      if (arg == "-") any = true;  // cannot be read twice
      if (arg.starts_with('-')) {
        any = any || is_macro_with_name(arg) || (next != nullptr && is_macro_with_name(*next));
        if (arg.starts_with("-x") || arg.starts_with("--language")) of_any_name_ = true;
        if (arg == "-include" && next != nullptr) files.emplace_back(*next);
        for (const std::string_view option : {"-I", "-iquote"}) {
          if (!arg.starts_with(option)) continue;
          if (arg.size() > option.size())
            folders_.emplace_back(arg.substr(option.size()));
          else if (next != nullptr)
            folders_.emplace_back(*next);
        }
      } else if (is_source(arg) && (i == 0 || args_[i - 1] != "-o")) {
        files.emplace_back(arg);
      }
    }
    for (const fs::path& file : files) any = any || finds_in(file);
    return any;
  }

 private:
  bool is_source(const std::string& arg) const {
    return of_any_name_ || ends_as_one_of(sources, arg) || ends_as_one_of(headers, arg);
  }

  bool finds_in(const fs::path& file) {
    if (!seen_.insert(file.lexically_normal().string()).second) return false;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return false;
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (may_name_schedule(text)) return true;
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
      if (finds_in_included(file, text, at + 1)) return true;
    }
    return false;
  }

  // Behind a # of that text.
  bool finds_in_included(const fs::path& file, const std::string& text, std::size_t at) {
    constexpr std::string_view word = "include";
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (text.compare(at, word.size(), word) != 0) return false;
    const std::size_t open = text.find_first_of("\"<\n", at);
    if (open == std::string::npos || text[open] == '\n') return false;
    const std::size_t close = text.find_first_of("\">\n", open + 1);
    if (close == std::string::npos || text[close] == '\n') return false;
    const fs::path name = text.substr(open + 1, close - open - 1);
    if (text[open] == '"' && finds_in(file.parent_path() / name)) return true;
    return std::ranges::any_of(folders_,
                               [&](const fs::path& folder) { return finds_in(folder / name); });
  }

  const arguments args_;
  std::vector<fs::path> folders_;
  std::set<std::string> seen_;
  bool of_any_name_ = false;  // -x says the language
};

}  // namespace

bool is_source(const std::string& arg) {
  return !arg.starts_with('-') && ends_as_one_of(sources, arg);
}

bool needs_clause_step(const arguments& args) {
  constexpr std::string_view alone[] = {"-E", "-M", "-MM"};  // the preprocessor
  const bool compiles = std::ranges::none_of(args, [&](const std::string& arg) {
    return std::ranges::find(alone, arg) != std::end(alone);
  });
  return compiles && search(args).finds_any();
}

}  // namespace doall::cli
