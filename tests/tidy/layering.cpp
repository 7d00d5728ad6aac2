// Who may include whom. The arrows are those of DESIGN.md, "Rooms"; a room may include whatever can
// be reached along them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "rooms.hpp"
#include "rules.hpp"

namespace tidy {

const std::map<std::string, std::vector<std::string>>& arrows() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"cli", {"cc", "report", "native"}},
      {"cc", {"process"}},
      {"report", {"process", "sim", "text"}},
      {"process", {"omp"}},
      {"text", {"base"}},
      {"omp", {"tasks", "costs"}},
      {"tasks", {"threads"}},
      {"native", {"threads", "costs"}},
      {"plugin", {}},
      {"threads", {"loops", "steal", "barrier"}},
      {"loops", {"sites", "park"}},
      {"sites", {"decide", "settings", "observe"}},
      {"decide", {"base"}},
      {"settings", {"topology", "schedule"}},
      {"costs", {"schedule", "barrier"}},
      {"steal", {"deque", "schedule"}},
      {"sim", {"steal", "schedule", "barrier"}},
      {"barrier", {"park"}},
      {"schedule", {"deque"}},
      {"deque", {"base"}},
      {"park", {"base"}},
      {"topology", {"base"}},
      {"observe", {"schedule"}},
      {"base", {}},
  };
  return table;
}

std::set<std::string> reach_of(const std::string& room) {
  std::set<std::string> reach;
  std::vector<std::string> open = {room};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!reach.insert(next).second) continue;
    const auto found = arrows().find(next);
    if (found != arrows().end())
      open.insert(open.end(), found->second.begin(), found->second.end());
  }
  return reach;
}

// Of the team they know how many threads there are by default, and no more.
const std::map<std::string, std::set<std::string>>& measuring() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"harness/driver",
       {"driver", "lanes", "text", "process", "threads", "settings", "topology", "schedule",
        "base"}},
      {"harness/lanes", {"lanes", "kernels", "driver", "schedule", "base"}},
      {"harness/kernels", {"kernels", "lanes", "base"}},
      {"bench/compiled", {}},
      {"bench/experiments",
       {"experiments", "driver", "lanes", "text", "process", "barrier", "sim", "schedule", "base"}},
      {"bench/mpi", {}},
      {"bench/lanes", {"lanes", "kernels", "driver", "base"}},
      {"papers/lanes", {"lanes", "kernels", "schedule", "base"}},
      {"papers/experiments",
       {"experiments", "driver", "lanes", "kernels", "sim", "steal", "text", "process", "schedule",
        "base"}},
  };
  return table;
}

namespace {

std::string in_words(const std::set<std::string>& rooms) {
  std::string text;
  for (const std::string& room : rooms) text += (text.empty() ? "" : ", ") + room;
  return text;
}

// "src/threads/pool.cpp" gives "threads"; "src/x.cpp" gives "".
std::string room_of(const std::string& path) {
  const std::size_t begin = std::string_view("src/").size();
  const std::size_t end = path.find('/', begin);
  return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

// "harness/driver/verdict.cpp" gives "harness/driver"; "bench/x.cpp" gives "bench".
std::string folder_of(const std::string& path) {
  const std::size_t end = path.find('/', path.find('/') + 1);
  return path.substr(0, end == std::string::npos ? path.find('/') : end);
}

// What the tests of a room include beside that room, what it may see, and support/. Each needs a
// reason.
const std::map<std::string, std::set<std::string>>& tests_see() {
  static const std::map<std::string, std::set<std::string>> table = {
      {"barrier", {"threads"}},  // the pool of threads that a barrier is for
      {"steal", {"park"}},       // the gate at which sleepers sleep is a template's argument
      {"native", {"omp"}},       // omp/check.h, for tests in C of either door
  };
  return table;
}

// Folders of tests/ that are about no room, and may include all of them.
const std::set<std::string>& tests_of_all() {
  static const std::set<std::string> folders = {"model", "mpi", "e2e", "support", "tidy"};
  return folders;
}

bool is_room(const std::string& first) {
  return arrows().contains(first) ||
         std::ranges::any_of(measuring(), [&](const auto& m) { return m.second.contains(first); });
}

void check_measuring(const source& file, reporter& report) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"/]+)/)re");
  const std::string folder = folder_of(file.path);
  if (folder.ends_with("/tests")) return;
  const auto found = measuring().find(folder);
  if (found == measuring().end()) {
    report(file, 1, "\"" + folder + "\" is not a folder of tests/tidy/layering.cpp's table");
    return;
  }
  for (std::size_t i = 0; i < file.uncommented.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(file.uncommented[i], match, include)) continue;
    if (!is_room(match[1]) || found->second.contains(match[1])) continue;
    report(file, i + 1,
           folder + " may include " + in_words(found->second) + ", but not " + match[1].str());
  }
}

std::string tests_folder_of(const std::string& path) {
  const std::size_t begin = std::string_view("tests/").size();
  const std::size_t end = path.find('/', begin);
  return end == std::string::npos ? "" : path.substr(begin, end - begin);
}

// tests/<room>/ is about that room: it includes that, what that may see, and support/.
void check_tests(const source& file, reporter& report) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"/]+)/)re");
  const std::string room = tests_folder_of(file.path);
  if (tests_of_all().contains(room)) return;
  if (!arrows().contains(room)) {
    report(file, 1,
           "\"" + room +
               "\" is neither a room of tests/tidy/layering.cpp's table nor a "
               "folder of tests that has all rooms");
    return;
  }
  std::set<std::string> reach = reach_of(room);
  const auto extra = tests_see().find(room);
  if (extra != tests_see().end()) reach.insert(extra->second.begin(), extra->second.end());
  for (std::size_t i = 0; i < file.uncommented.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(file.uncommented[i], match, include)) continue;
    const std::string first = match[1];
    if (!arrows().contains(first) || reach.contains(first)) continue;
    report(file, i + 1,
           "a test of " + room + " may include " + in_words(reach) + ", but not " + first);
  }
}

// What answers to oneTBB's names is found by a path of its own, and finds doall's by its place.
bool stays_in_the_api(const source& file, const std::string& target) {
  if (!file.is_below("include/doall/compat/")) return false;
  const auto found = (std::filesystem::path(file.path).parent_path() / target).lexically_normal();
  return found.string().starts_with("include/doall/");
}

}  // namespace

void check_layering(const tree& files, reporter& report) {
  static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
  for (const source& file : files) {
    if (file.is_cpp() &&
        (file.is_below("bench/") || file.is_below("harness/") || file.is_below("papers/"))) {
      check_measuring(file, report);
      continue;
    }
    if (file.is_cpp() && file.is_below("tests/")) {
      check_tests(file, report);
      continue;
    }
    const bool is_public = file.is_below("include/");
    if (!file.is_cpp() || !(is_public || file.is_below("src/"))) continue;
    const std::string room = is_public ? "" : room_of(file.path);
    if (!is_public && !arrows().contains(room)) {
      report(file, 1, "\"" + room + "\" is not a room of tests/tidy/layering.cpp's table");
      continue;
    }
    const std::set<std::string> reach = is_public ? std::set<std::string>{} : reach_of(room);
    for (std::size_t i = 0; i < file.uncommented.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(file.uncommented[i], match, include)) continue;
      const std::string target = match[1];
      if (stays_in_the_api(file, target)) continue;
      if (target.find("..") != std::string::npos) {
        report(file, i + 1, "\"" + target + "\": a path from src/ or include/ is expected");
        continue;
      }
      const std::string first = target.substr(0, target.find('/'));
      if (first == target || !arrows().contains(first) || reach.contains(first)) continue;
      report(file, i + 1,
             is_public ? "the public API includes " + target + ", which is of src/"
                       : room + " may include " + in_words(reach) + ", but not " + target);
    }
  }
}

}  // namespace tidy
