// Every file is reached: a header is included, a source or a script is built or run, a page is
// linked. What no other file names is dead.
#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "rules.hpp"

namespace tidy {
namespace {

namespace fs = std::filesystem;

// What is found without being named: by the build, by git's host, by whoever opens the folder.
bool is_entry_point(const source& file) {
  static const std::set<std::string> names = {"CMakeLists.txt", "Makefile", "CMakePresets.json",
                                              "README.md", "run"};
  const bool is_page_of_the_root =
      file.path.ends_with(".md") && file.path.find('/') == file.path.npos;
  return names.contains(file.name()) || is_page_of_the_root;
}

bool builds_or_runs(const source& file) {
  static const std::set<std::string> names = {"CMakeLists.txt", "Makefile", "run"};
  return names.contains(file.name()) || file.path.ends_with(".cmake") ||
         file.path.ends_with(".sh") || file.path.ends_with(".py");
}

// What the files of a tree say of others, as it is collected from all of them.
struct named {
  std::set<std::string> included;  // "park/gate.hpp", by quotes or brackets
  std::set<std::string> words;     // of files that build or run others
  std::vector<std::pair<std::string, std::regex>> patterns;  // a folder, and the paths below it
  std::set<std::string> linked;                              // names of pages
};

// A pattern of CMake's as a regular expression over the end of a path. What stands for a variable
// is captured: it has to be a word of the build, too.
std::regex as_regex(const std::string& glob) {
  std::string made;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '$') {
      made += "([^/]*)";
      i = std::min(glob.find('}', i), glob.size() - 1);
    } else if (glob[i] == '*') {
      made += "[^/]*";
    } else {
      made += (glob[i] == '.' || glob[i] == '+' ? "\\" : "") + std::string(1, glob[i]);
    }
  }
  return std::regex("(?:.*/)?" + made);
}

std::string whole_folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

void add_words(const source& file, named& to) {
  static const std::regex word(R"([\w./*${}+-]+)");
  const std::sregex_iterator end;
  for (const std::string& line : file.text) {
    for (std::sregex_iterator m(line.begin(), line.end(), word); m != end; ++m) {
      std::string text = m->str();
      // Python imports a module of the same package by "._name".
      if (file.path.ends_with(".py")) text.erase(0, text.find_first_not_of('.'));
      const bool is_pattern = text.find_first_of("*$") != text.npos && text.find('.') != text.npos;
      if (is_pattern && file.name() == "CMakeLists.txt") {
        to.patterns.emplace_back(whole_folder_of(file.path),
                                 as_regex(text.substr(text.rfind('/') + 1)));
      } else {
        to.words.insert(fs::path(text).filename().string());
      }
    }
  }
}

void add_includes(const source& file, named& to) {
  static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  for (const std::string& line : file.uncommented) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string target = match[1];
    to.included.insert(target);
    if (target.find('/') == target.npos)
      to.included.insert(whole_folder_of(file.path) + '/' + target);
  }
}

void add_links(const source& file, named& to) {
  static const std::regex page(R"(([\w+-]+)\.md\b)");
  const std::sregex_iterator end;
  for (const std::string& line : file.text) {
    for (std::sregex_iterator m(line.begin(), line.end(), page); m != end; ++m) {
      if (m->str() != file.name()) to.linked.insert(m->str());
    }
  }
}

bool is_included(const source& file, const named& all) {
  for (std::size_t at = 0; at != std::string::npos; at = file.path.find('/', at)) {
    at += at == 0 ? 0 : 1;
    const std::string tail = file.path.substr(at);
    const bool is_bare = tail.find('/') == tail.npos;
    if (!is_bare && all.included.contains(tail)) return true;
    if (is_bare) break;
  }
  return all.included.contains(file.path);
}

bool is_built(const source& file, const named& all) {
  if (all.words.contains(file.name()) || all.words.contains(file.stem())) return true;
  return std::ranges::any_of(all.patterns, [&](const auto& p) {
    std::smatch match;
    if (!p.first.empty() && !file.is_below(p.first + '/')) return false;
    if (!std::regex_match(file.path, match, p.second)) return false;
    return std::all_of(match.begin() + 1, match.end(),
                       [&](const auto& variable) { return all.words.contains(variable.str()); });
  });
}

}  // namespace

void check_dead_files(const tree& files, reporter& report) {
  named all;
  for (const source& file : files) {
    if (builds_or_runs(file)) add_words(file, all);
    if (file.is_cpp()) add_includes(file, all);
    add_links(file, all);
  }
  for (const source& file : files) {
    if (is_entry_point(file)) continue;
    if (file.path.ends_with(".md")) {
      if (!all.linked.contains(file.name())) report(file, 1, "no other page links to it");
    } else if (file.is_header()) {
      if (!is_included(file, all) && !is_built(file, all)) report(file, 1, "nothing includes it");
    } else if (!is_built(file, all) && !is_included(file, all)) {
      report(file, 1, "nothing builds or runs it");
    }
  }
}

}  // namespace tidy
