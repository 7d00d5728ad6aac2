// doall schedules: prints the registry, for people and for scripts.
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "process/options.hpp"
#include "process/result_file.hpp"
#include "schedule/registry.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;
using schedules::entry;
using schedules::parameter;

// The meaning, with the range of a number that has a narrower one than all others.
std::string meaning_of(const parameter& p) {
  if (!p.is_bounded()) return std::string(p.meaning);
  return fmt::format("{}; from {} to {}", p.meaning, p.least, p.most);
}

std::string words_text(const parameter& p) { return fmt::format("{}", fmt::join(p.words, "|")); }

// "[,chunk][,k=N]": the parameters as they are written after the name.
std::string parameters_text(const entry& e) {
  std::string text;
  for (const parameter& p : e.parameters) {
    text += p.positional ? fmt::format("[,{}]", p.key)
                         : fmt::format("[,{}={}]", p.key, p.words.empty() ? "N" : words_text(p));
  }
  return text.empty() ? "-" : text;
}

std::vector<std::string> properties_of(const entry& e) {
  std::vector<std::string> names;
  for (const auto& property : schedules::property_names()) {
    if (e.has(property.value)) names.emplace_back(property.name);
  }
  return names;
}

std::vector<std::string> aliases_of(const entry& e) { return {e.aliases.begin(), e.aliases.end()}; }

std::string registry_text() {
  table all({{"name"}, {"parameters"}, {"aliases"}, {"paper"}, {"properties"}, {"summary"}});
  table meanings({{"parameter"}, {"meaning"}});
  for (const entry& e : schedules::registry()) {
    all.add_row({std::string(e.name), parameters_text(e), list_text(aliases_of(e)),
                 std::string(e.paper), list_text(properties_of(e)), std::string(e.summary)});
    for (const parameter& p : e.parameters) {
      meanings.add_row({fmt::format("{}: {}", e.name, p.key), meaning_of(p)});
    }
  }
  for (const parameter& p : schedules::common_parameters()) {
    meanings.add_row({fmt::format("all: {}={}", p.key, words_text(p)), std::string(p.meaning)});
  }
  return all.to_text() + '\n' + meanings.to_text();
}

ordered_json parameters_json(std::span<const parameter> parameters) {
  ordered_json list = ordered_json::array();
  for (const parameter& p : parameters) {
    ordered_json one = {{"key", p.key}, {"positional", p.positional}, {"meaning", p.meaning}};
    if (p.words.empty()) {
      one["least"] = p.least;
      one["most"] = p.most;
    } else {
      one["words"] = std::vector<std::string>(p.words.begin(), p.words.end());
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json registry_json() {
  ordered_json list = ordered_json::array();
  for (const entry& e : schedules::registry()) {
    list.push_back({{"name", e.name},
                    {"aliases", aliases_of(e)},
                    {"parameters", parameters_json(e.parameters)},
                    {"properties", properties_of(e)},
                    {"paper", e.paper},
                    {"summary", e.summary}});
  }
  return stamped("doall-schedules/1",
                 {{"parameters_of_all", parameters_json(schedules::common_parameters())},
                  {"schedules", std::move(list)}});
}

constexpr std::size_t columns = 100;

// The text in lines of no more columns, of which the first begins with `first`, the others with
// `next`.
std::string wrapped(std::string_view first, std::string_view text, std::string_view next) {
  std::string all(first);
  std::size_t at = first.size();
  for (bool begins = true; !text.empty(); begins = false) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!begins && at + 1 + end > columns) {
      all += fmt::format("\n{}", next);
      at = next.size();
    } else if (!begins) {
      all += ' ';
      ++at;
    }
    all += text.substr(0, end);
    at += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all + '\n';
}

std::string item(std::string_view text) { return wrapped("- ", text, "  "); }
std::string comment(std::string_view text) { return wrapped("  // ", text, "  // "); }

std::string code_list(const std::vector<std::string>& words) {
  return fmt::format("`{}`", fmt::join(words, "`, `"));
}

std::string item_of(const parameter& p) {
  const std::string key =
      p.words.empty() ? std::string(p.key) : fmt::format("{}={}", p.key, words_text(p));
  return item(fmt::format("`{}`: {}", key, meaning_of(p)));
}

// Where the page has its heading: of two that differ in a sign alone, the second has a number.
std::string anchor_of(const entry& e) {
  std::string made(e.name);
  std::erase(made, '+');
  return made == e.name ? made : made + "-1";
}

// "`chunk`, `k=`": the names alone, without what would end a table's cell.
std::string keys_of(const entry& e) {
  std::vector<std::string> keys;
  for (const parameter& p : e.parameters) {
    keys.push_back(std::string(p.key) + (p.positional ? "" : "="));
  }
  return keys.empty() ? "" : code_list(keys) + ' ';
}

std::string section_of(const entry& e) {
  const std::string parameters = e.parameters.empty() ? "" : parameters_text(e);
  std::string text = fmt::format("\n## {}\n\n`{}{}`", e.name, e.name, parameters);
  if (!e.aliases.empty()) text += " or " + code_list(aliases_of(e));
  text += "\n\n" + item(e.summary);
  text += fmt::format("- Paper: {}\n", e.paper);
  if (e.properties != 0) text += item("Properties: " + code_list(properties_of(e)));
  for (const parameter& p : e.parameters) text += item_of(p);
  return text;
}

std::string registry_markdown() {
  std::string text =
      "# Schedules\n\n"
      "Made by `doall schedules --markdown` from what each schedule says of itself in its header\n"
      "in `src/schedule`; a test compares.\n\n"
      "One grammar names a schedule everywhere: in `--schedule`, `OMP_SCHEDULE`, `DOALL_SCHEDULE`\n"
      "and `doall::schedule(\"...\")`. It is `name[,number]...[,key=value]...`, for example\n"
      "`guided,4,k=2`. P is the number of workers, N of iterations. A number is whole, and from 1 "
      "to\n"
      "2^64 - 1 unless its option says less. Another value is refused, with a message that says "
      "what\n"
      "is expected.\n\n"
      "| schedule | parameters | what it does |\n"
      "| --- | --- | --- |\n";
  for (const entry& e : schedules::registry()) {
    text += fmt::format("| [`{}`](#{}) | {}| {} |\n", e.name, anchor_of(e), keys_of(e), e.summary);
  }
  text += "\nEvery schedule also takes\n\n";
  for (const parameter& p : schedules::common_parameters()) text += item_of(p);
  text += "\nA property is what a schedule promises, or wants:\n\n";
  for (const auto& property : schedules::property_names()) {
    text += item(fmt::format("`{}`: {}", property.name, property.meaning));
  }
  text +=
      "\n`doall chunks SCHEDULE -n N -p P` shows how a schedule cuts a loop\n"
      "([chunks.md](guide/chunks.md)). [REFERENCES.md](../REFERENCES.md) has the papers.\n";
  for (const entry& e : schedules::registry()) text += section_of(e);
  return text;
}

// The name as an identifier of C++.
std::string identifier_of(const entry& e) {
  std::string made;
  for (const char c : e.name) made += c == '-' ? "_" : c == '+' ? "_plus" : std::string(1, c);
  constexpr std::string_view keywords = " auto static ";
  return keywords.find(fmt::format(" {} ", made)) == keywords.npos ? made : made + '_';
}

// The options that a function of the C++ interface takes: the first ones that are numbers.
std::vector<const parameter*> numbers_of(const entry& e) {
  constexpr std::size_t most = 2;
  std::vector<const parameter*> found;
  for (const parameter& p : e.parameters) {
    if (p.words.empty() && found.size() < most) found.push_back(&p);
  }
  return found;
}

// The functions that make the schedule, one for each number of arguments.
std::string functions_of(const entry& e) {
  std::string text = comment(fmt::format("{}.", e.summary));
  std::string taken;
  std::string given = fmt::format("\"{}\"", e.name);
  const auto function = [&] {
    const std::string head = fmt::format("  static Schedule {}({}) {{", identifier_of(e), taken);
    const std::string body = fmt::format("return Schedule::named({});", given);
    const bool fits = head.size() + body.size() + 3 <= columns;
    text += fits ? fmt::format("{} {} }}\n", head, body)
                 : fmt::format("{}\n    {}\n  }}\n", head, body);
  };
  function();
  for (const parameter* p : numbers_of(e)) {
    text += comment(fmt::format("{}: {}.", p->key, meaning_of(*p)));
    given += taken.empty() ? fmt::format(", {}", p->key) : fmt::format(", \"{0}\", {0}", p->key);
    taken += fmt::format("{}std::uint64_t {}", taken.empty() ? "" : ", ", p->key);
    function();
  }
  return text;
}

std::string registry_cpp() {
  std::string text =
      "// Schedules by name: what doall::schedule offers. Made by `doall schedules --cpp` from\n"
      "// what each schedule says of itself in its header in src/schedule; a test compares.\n"
      "#pragma once\n\n"
      "#include <cstdint>\n\n"
      "namespace doall {\n"
      "inline namespace v0 {\n"
      "namespace detail {\n\n"
      "// P is the number of workers, N of iterations. A number is at least 1. One that is out of\n"
      "// range is refused: std::invalid_argument.\n"
      "// clang-format off\n"
      "template <class Schedule>\n"
      "struct named_schedules {\n";
  for (const entry& e : schedules::registry()) {
    text += (&e == schedules::registry().data() ? "" : "\n") + functions_of(e);
  }
  return text +
         "};\n"
         "// clang-format on\n\n"
         "}  // namespace detail\n"
         "}  // namespace v0\n"
         "}  // namespace doall\n";
}

}  // namespace

int schedules_command(const arguments& args) {
  option_parser options(
      "schedules", "[--json|--markdown|--cpp]",
      "Lists the schedules. A schedule is written name[,number]...[,key=value]...",
      "The same text serves everywhere: --schedule, OMP_SCHEDULE, "
      "DOALL_SCHEDULE, doall::schedule.");
  bool json = false;
  bool markdown = false;
  bool cpp = false;
  options.add_flag("--json", json, "as JSON, schema doall-schedules/1");
  options.add_flag("--markdown", markdown, "as a page, docs/schedules.md");
  options.add_flag("--cpp", cpp, "as a header, include/doall/detail/named_schedules.hpp");
  if (!options.read(args)) return succeeded;
  if (json) {
    fmt::print("{}\n", json_text(registry_json()));
  } else if (markdown) {
    fmt::print("{}", registry_markdown());
  } else if (cpp) {
    fmt::print("{}", registry_cpp());
  } else {
    fmt::print("{}", registry_text());
  }
  return succeeded;
}

}  // namespace doall::cli
