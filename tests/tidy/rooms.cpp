// What is written about rooms and headings is about ones that exist.
#include <algorithm>
#include <regex>
#include <set>

#include "rooms.hpp"
#include "rules.hpp"

namespace tidy {
namespace {

bool has_folder(const tree& files, const std::string& folder) {
  return std::ranges::any_of(files, [&](const source& f) { return f.is_below(folder + "/"); });
}

// Rooms of the tables in layering.cpp, in the repository that has that file.
void check_tables(const tree& files, reporter& report) {
  if (find(files, "tests/tidy/layering.cpp") == nullptr) return;
  for (const auto& [room, below] : arrows()) {
    if (has_folder(files, "src/" + room)) continue;
    report("tests/tidy/layering.cpp", 1,
           "names the room \"" + room + "\", but there is no src/" + room);
  }
  for (const auto& [folder, reach] : measuring()) {
    if (has_folder(files, folder)) continue;
    report("tests/tidy/layering.cpp", 1, "names " + folder + ", which is not there");
  }
}

// In DESIGN.md: the rooms of the list of arrows, and the folders that begin a row of the table.
void check_design(const source& design, const tree& files, reporter& report) {
  static const std::regex arrow(R"(^[^|]*→)");
  static const std::regex word(R"([a-z_]+)");
  static const std::regex row(R"(^\| `([a-z_/]+)/` \|)");
  static const std::regex quoted(R"(`([^`]*→[^`]*)`)");
  const std::sregex_iterator end;
  for (std::size_t i = 0; i < design.text.size(); ++i) {
    const std::string& line = design.text[i];
    std::smatch match;
    if (std::regex_search(line, match, row) && !has_folder(files, match[1])) {
      report(design, i + 1, "\"" + match[1].str() + "/\" is not there");
    }
    if (!std::regex_search(line, arrow)) continue;
    for (std::sregex_iterator q(line.begin(), line.end(), quoted); q != end; ++q) {
      const std::string arrows_text = (*q)[1];
      for (std::sregex_iterator w(arrows_text.begin(), arrows_text.end(), word); w != end; ++w) {
        if (arrows().contains(w->str())) continue;
        report(design, i + 1,
               "\"" + w->str() + "\" is not a room of tests/tidy/layering.cpp's table");
      }
    }
  }
}

bool has_heading(const source& page, const std::string& heading) {
  return std::ranges::any_of(page.text, [&](const std::string& line) {
    return line.starts_with('#') && trim(line.substr(line.find_first_not_of('#'))) == heading;
  });
}

// The page at this path from the root, or from the folder of the file that names it; else null.
const source* page_of(const source& by, const std::string& path, const tree& files) {
  if (const source* found = find(files, path)) return found;
  const auto beside = std::filesystem::path(by.path).parent_path() / path;
  return find(files, beside.lexically_normal().generic_string());
}

// References of the form: DESIGN.md, "Rooms".
void check_headings(const source& file, const tree& files, reporter& report) {
  static const std::regex reference(R"re(([\w./-]+\.md)\)?, "([^"]+)")re");
  const std::sregex_iterator end;
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    const std::string& line = file.text[i];
    for (std::sregex_iterator m(line.begin(), line.end(), reference); m != end; ++m) {
      const source* const page = page_of(file, (*m)[1], files);
      if (page != nullptr && has_heading(*page, (*m)[2])) continue;
      report(file, i + 1, (page == nullptr ? "no page " : "no heading of that name: ") + m->str());
    }
  }
}

}  // namespace

void check_rooms(const tree& files, reporter& report) {
  check_tables(files, report);
  if (const source* design = find(files, "DESIGN.md")) check_design(*design, files, report);
  for (const source& file : files) {
    if (file.name() != "self_test.cpp") check_headings(file, files, report);
  }
}

}  // namespace tidy
