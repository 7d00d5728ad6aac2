#include "cli/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/file_text.hpp"
#include "process/say.hpp"
#include "report/model_files.hpp"
#include "report/symbols.hpp"
#include "sites/choice_file.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using team::kept_choices;
using team::kept_cuts;
using team::kept_site;

constexpr std::string_view schema = "doall-choices/1";
constexpr std::array inside_words{"nothing", "loops", "itself"};
constexpr double whole_loop = 0x1p64;

// What tells one build of a program from another: FNV-1a of its file.
std::string build_of(const fs::path& program) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : base::contents(program.string()).value_or("")) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

// Finds a site's function, file and line. The dynamic linker knows the main program only by
// argv[0], which need not be a path from here.
class place_finder {
 public:
  explicit place_finder(const fs::path& program) : program_(program) {}

  source_place find(const kept_site& s) {
    const fs::path module = s.module;
    const bool is_program = module.filename() == program_.filename();
    const std::string path = is_program || !module.is_absolute() ? program_.string() : s.module;
    source_place found = symbols_.find(path, s.offset);
    if (s.line != 0) {
      found.file = s.file;
      found.line = s.line;
    }
    return found;
  }

 private:
  fs::path program_;
  symbol_finder symbols_;
};

ordered_json to_json(const kept_site& s, const source_place& at) {
  ordered_json cuts = ordered_json::array();
  for (const kept_cuts& c : s.cuts) {
    ordered_json begins = ordered_json::array();
    for (const std::uint64_t begin : c.begins)
      begins.push_back(static_cast<double>(begin) / whole_loop);
    cuts.push_back({{"schedule", c.schedule}, {"workers", c.workers}, {"begins", begins}});
  }
  return {
      {"function", at.function},
      {"file", at.file},
      {"line", at.line},
      {"iteration_ns", s.iteration_ns},
      {"burden_ns", s.burden_ns},
      {"inside", inside_words.at(s.inside)},
      {"cuts", cuts},
      {"key", {{"module", s.module}, {"offset", s.offset}, {"file", s.file}, {"line", s.line}}}};
}

std::uint64_t position_of(double part) {
  if (!(part >= 0 && part <= 1))
    throw std::runtime_error(fmt::format("\"begins\" has {}, expected a number from 0 to 1", part));
  constexpr double last = whole_loop - 0x1p11;  // the last double below it
  return static_cast<std::uint64_t>(std::min(part * whole_loop, last));
}

kept_site site_of(const ordered_json& json) {
  kept_site s;
  const ordered_json& key = json.at("key");
  key.at("module").get_to(s.module);
  key.at("offset").get_to(s.offset);
  key.at("file").get_to(s.file);
  key.at("line").get_to(s.line);
  json.at("iteration_ns").get_to(s.iteration_ns);
  json.at("burden_ns").get_to(s.burden_ns);
  const auto inside = json.at("inside").get<std::string>();
  const auto word = std::ranges::find(inside_words, inside);
  if (word == inside_words.end())
    throw std::runtime_error(
        fmt::format("\"inside\" is \"{}\", expected nothing, loops or itself", inside));
  s.inside = static_cast<std::uint8_t>(word - inside_words.begin());
  for (const ordered_json& cut : json.at("cuts")) {
    kept_cuts c{cut.at("schedule").get<std::string>(), cut.at("workers").get<std::uint32_t>(), {}};
    for (const ordered_json& begin : cut.at("begins"))
      c.begins.push_back(position_of(begin.get<double>()));
    s.cuts.push_back(std::move(c));
  }
  return s;
}

// Throws if the text is not what the program can have saved; says what is wrong.
kept_choices read_json(const std::string& text, const fs::path& program, std::size_t& moved) {
  const auto json = ordered_json::parse(text);
  const auto expect = [&](const std::string& what, const std::string& found,
                          std::string_view expected) {
    if (found != expected)
      throw std::runtime_error(fmt::format("{} is \"{}\", expected \"{}\"", what, found, expected));
  };
  expect("its schema", json.at("schema").get<std::string>(), schema);
  expect("doall's version that saved it", json.at("doall").get<std::string>(), version());
  expect("the program that it is of", json.at("program").at("name").get<std::string>(),
         program.filename().string());
  expect("the build of the program that it is of",
         json.at("program").at("build").get<std::string>(), build_of(program));
  kept_choices all;
  json.at("threads").get_to(all.threads);
  place_finder places(program);
  for (const ordered_json& one : json.at("sites")) {
    kept_site s = site_of(one);
    const source_place here = places.find(s);
    const bool same = here.function == one.at("function").get<std::string>() &&
                      here.file == one.at("file").get<std::string>() &&
                      here.line == one.at("line").get<std::uint32_t>();
    if (same)
      all.sites.push_back(std::move(s));
    else
      ++moved;
  }
  return all;
}

}  // namespace

ordered_json choices_json(const fs::path& folder, const fs::path& program) {
  std::map<std::tuple<std::string, std::uint64_t, std::string, std::uint32_t>, kept_site> sites;
  std::uint32_t threads = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    try {
      kept_choices one = team::read_choices(base::contents(file.path()).value_or(""));
      if (threads == 0) threads = one.threads;
      if (one.threads != threads) continue;
      for (kept_site& s : one.sites)
        sites.insert_or_assign({s.module, s.offset, s.file, s.line}, std::move(s));
    } catch (const std::runtime_error& e) {
      say("doall: the choices of one process are left out: {}: {}\n",
          file.path().filename().string(), e.what());
    }
  }
  ordered_json all = ordered_json::array();
  place_finder places(program);
  for (const auto& [key, s] : sites) all.push_back(to_json(s, places.find(s)));
  return stamped(
      schema, {{"program", {{"name", program.filename().string()}, {"build", build_of(program)}}},
               {"threads", threads},
               {"sites", std::move(all)}});
}

bool prepare_choices(const std::string& file, const fs::path& program, const fs::path& prepared) {
  const auto ignored = [&](std::string_view why) {
    say("doall: the choices in {} are ignored: {}; loops choose as usual\n", file, why);
    return false;
  };
  const auto text = base::contents(file);
  if (!text) return ignored("the file cannot be read");
  std::size_t moved = 0;
  kept_choices all;
  try {
    all = read_json(*text, program, moved);
  } catch (const std::exception& e) {
    return ignored(e.what());
  }
  if (moved != 0) {
    say("doall: {} of {} loops in {} are not where they were: these choose as usual\n", moved,
        moved + all.sites.size(), file);
  }
  if (all.sites.empty()) return false;  // nothing was chosen, or nothing is where it was
  std::ofstream out(prepared);
  out << team::choices_text(all);
  out.close();
  return out ? true : ignored("the runtime's copy cannot be written");
}

}  // namespace doall::cli
