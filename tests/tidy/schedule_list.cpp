// The one list of schedules is src/schedule/registry.cpp, and a schedule's names are in its own
// header. Read out of these here, so that this file is not a second one.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "rules.hpp"
#include "schedule_names.hpp"

namespace tidy {

// OpenMP's environment variable's grammar has them, so the room that knows OpenMP may too.
const std::set<std::string>& openmp_words() {
  static const std::set<std::string> words = {"static", "dynamic", "guided", "auto"};
  return words;
}

namespace {

constexpr std::string_view api_path = "include/doall/detail/named_schedules.hpp";

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// In the headers of src/schedule, where schedules describe themselves (description.hpp).
const std::regex& described_name() {
  static const std::regex name(R"re(\.name\s*=\s*"([^"]+)")re");
  return name;
}

// Whether it describes a schedule, or options that several have.
bool describes(const source& file) {
  static const std::regex part(R"re(\.(name|key)\s*=\s*")re");
  return file.is_below("src/schedule/") && file.path.ends_with(".hpp") &&
         std::regex_search(join(file.uncommented), part);
}

}  // namespace

schedule_names read_schedule_names(const tree& files) {
  static const std::regex alias_list(R"re(\.aliases\s*=\s*\{([^}]*)\})re");
  static const std::regex quoted(R"re("([^"]+)")re");
  schedule_names found;
  const std::sregex_iterator end;
  for (const source& file : files) {
    if (!describes(file)) continue;
    const std::string text = join(file.uncommented);
    for (std::sregex_iterator m(text.begin(), text.end(), described_name()); m != end; ++m) {
      found.names.insert((*m)[1]);
    }
    for (std::sregex_iterator m(text.begin(), text.end(), alias_list); m != end; ++m) {
      const std::string inside = (*m)[1];
      for (std::sregex_iterator a(inside.begin(), inside.end(), quoted); a != end; ++a) {
        found.aliases.insert((*a)[1]);
      }
    }
  }
  return found;
}

namespace {

// The schedule that a literal names in the grammar, as "x" and "x,4,k=2" name x;
// "" when it is some other text.
std::string named_by(const std::string& text, const schedule_names& schedules) {
  static const std::regex grammar(R"(^\s*([\w-]+)\s*(,[\w\s=]+)*$)");
  std::smatch match;
  if (!std::regex_match(text, match, grammar)) return "";
  const std::string word = lower(match[1]);
  return schedules.has(word) ? word : "";
}

void check_literals(const tree& files, const schedule_names& schedules, reporter& report) {
  for (const source& file : files) {
    if (!file.is_below("src/") || !file.is_cpp() || describes(file)) continue;
    for (const literal& l : file.literals) {
      const std::string word = named_by(l.text, schedules);
      if (word.empty()) continue;
      const bool of_openmp = file.is_below("src/omp/") || file.is_below("src/plugin/") ||
                             file.path == "src/cc/clause_text.cpp";  // reads OpenMP's clauses
      if (of_openmp && openmp_words().contains(word)) continue;
      if (file.path == "src/settings/settings.cpp" && word == "auto") continue;  // a barrier's form
      report(file, l.line,
             "\"" + l.text + "\" names the schedule " + word +
                 "; only the registry lists schedules: find it there by a property "
                 "or iterate");
    }
  }
}

// A name as an identifier: "-" becomes "_", "+" becomes "_plus", and a keyword of C++ gets a "_".
std::string identifier(const std::string& name) {
  std::string made;
  for (const char c : name) made += c == '-' ? "_" : c == '+' ? "_plus" : std::string(1, c);
  return made == "static" || made == "auto" ? made + "_" : made;
}

void check_factories(const tree& files, const schedule_names& schedules, reporter& report) {
  const source* api = find(files, api_path);
  if (api == nullptr) {
    report(
        std::string(api_path), 1,
        "missing; expected a factory \"static Schedule NAME(...)\" for each name of the registry");
    return;
  }
  static const std::regex factory(R"(\bstatic\s+Schedule\s+(\w+)\s*\()");
  std::set<std::string> offered;
  std::set<std::string> expected;
  for (const std::string& name : schedules.names) expected.insert(identifier(name));
  for (std::size_t i = 0; i < api->code.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(api->code[i], match, factory)) continue;
    offered.insert(match[1]);
    if (expected.contains(match[1])) continue;
    report(*api, i + 1, "factory " + match[1].str() + " is not a name of the registry");
  }
  for (const std::string& name : expected) {
    if (offered.contains(name)) continue;
    report(*api, 1, "no factory \"static Schedule " + name + "(...)\" for a name of the registry");
  }
}

}  // namespace

void check_schedule_list(const tree& files, reporter& report) {
  const schedule_names schedules = read_schedule_names(files);
  if (schedules.names.empty()) {
    report("src/schedule", 1,
           "expected headers of schedules, with .name = \"name\" in a description; found none");
    return;
  }
  check_literals(files, schedules, report);
  check_factories(files, schedules, report);
}

}  // namespace tidy
