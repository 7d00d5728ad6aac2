#include "observe/record.hpp"

#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/file_text.hpp"

namespace doall::observe {
namespace {

// line 1       the magic, with the format's version
// line 2       the process, its fields in the order of each_fact()
// then         a record in each line, its fields in the order of each_field()
// last line    "end" and the number of records: a file without it was cut off
//
// In a text field a tab, a line end and a backslash are written as \t, \n and \\.
constexpr std::string_view magic = "doall-report 9";
constexpr std::string_view end_mark = "end";

// A record's fields: writer and reader both walk them.
template <class Record, class Visit>
void each_field(Record& r, Visit visit) {
  visit("kind", r.kind);
  visit("door", r.door);
  visit("module", r.module);
  visit("offset", r.offset);
  visit("region", r.region);
  visit("file", r.file);
  visit("line", r.line);
  visit("function", r.function);
  visit("caller", r.caller);
  visit("schedule", r.schedule);
  visit("why", r.why);
  visit("costs", r.costs);
  visit("over_calls", r.over_calls);
  visit("slowest_call", r.slowest_call);
  each_number([&](const char* name, auto number) { visit(name, r.*number); });
  deque::counts::each([&](const char* name, auto field) { visit(name, r.stealing.*field); });
}

// The same of a process.
template <class Facts, class Visit>
void each_fact(Facts& of, Visit visit) {
  visit("pid", of.pid);
  visit("threads", of.threads);
  visit("wall_ns", of.wall_ns);
  visit("began_s", of.began_s);
  visit("cpus", of.cpus);
  visit("program", of.program);
  visit("command", of.command);
  visit("settings", of.settings);
}

void add_field(std::string& to, site_kind kind) { to += name_of(kind); }

void add_field(std::string& to, const std::string& text) {
  for (const char c : text) {
    switch (c) {
      case '\t': to += "\\t"; break;
      case '\n': to += "\\n"; break;
      case '\\': to += "\\\\"; break;
      default: to += c;
    }
  }
}

template <class Number>
  requires std::is_unsigned_v<Number>
void add_field(std::string& to, Number value) {
  to += std::to_string(value);
}

// Adds fields with a tab between them.
auto fields_into(std::string& line) {
  return [&line, separator = ""](std::string_view, const auto& field) mutable {
    line += std::exchange(separator, "\t");
    add_field(line, field);
  };
}

[[noreturn]] void fail(std::size_t line, const std::string& why) {
  throw std::runtime_error("not a doall report: line " + std::to_string(line) + ": " + why);
}

// A line's fields, taken from left to right.
class line_reader {
 public:
  // Takes the next line.
  explicit line_reader(base::text_lines& of) {
    const std::optional<std::string_view> line = of.next();
    number_ = of.number() + (line ? 0 : 1);
    if (!line) fail(number_, "expected more lines, the file ends here");
    rest_ = *line;
  }

  std::size_t number() const { return number_; }
  std::string_view rest() const { return rest_; }
  bool begins_with(std::string_view first) const {
    return rest_ == first || rest_.starts_with(std::string(first) + '\t');
  }

  void take(std::string_view name, site_kind& kind) {
    const std::string_view field = next(name);
    for (const site_kind known :
         {site_kind::loop, site_kind::region, site_kind::nested, site_kind::sections}) {
      if (field != name_of(known)) continue;
      kind = known;
      return;
    }
    refuse(name, field, "\"loop\", \"region\", \"nested\" or \"sections\"");
  }

  void take(std::string_view name, std::string& text) {
    const std::string_view field = next(name);
    text.clear();
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] != '\\') {
        text += field[i];
        continue;
      }
      switch (++i < field.size() ? field[i] : '\0') {
        case 't': text += '\t'; break;
        case 'n': text += '\n'; break;
        case '\\': text += '\\'; break;
        default: refuse(name, field, "t, n or \\ after a backslash");
      }
    }
  }

  template <class Number>
    requires std::is_unsigned_v<Number>
  void take(std::string_view name, Number& value) {
    const std::string_view field = next(name);
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size()) {
      refuse(name, field,
             "a whole number up to " + std::to_string(std::numeric_limits<Number>::max()));
    }
  }

  void done() const {
    if (left_) fail(number_, "expected the end of the line, got \"" + std::string(rest_) + "\"");
  }

 private:
  std::string_view next(std::string_view name) {
    if (!left_) fail(number_, "field " + std::string(name) + " is missing");
    const std::size_t tab = rest_.find('\t');
    const std::string_view field = rest_.substr(0, tab);
    left_ = tab != std::string_view::npos;
    rest_ = left_ ? rest_.substr(tab + 1) : std::string_view{};
    return field;
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view field,
                           const std::string& expected) const {
    fail(number_,
         "field " + std::string(name) + " is \"" + std::string(field) + "\", expected " + expected);
  }

  std::size_t number_ = 0;
  std::string_view rest_;  // not yet taken
  bool left_ = true;       // whether there is another field
};

}  // namespace

std::string_view name_of(site_kind kind) {
  switch (kind) {
    case site_kind::loop: return "loop";
    case site_kind::region: return "region";
    case site_kind::nested: return "nested";
    case site_kind::sections: return "sections";
  }
  return "?";
}

void add_numbers(record& to, const record& more) {
  each_number([&](const char*, auto number) {
    // The number of workers is the last execution's.
    if constexpr (std::is_same_v<decltype(number), std::uint64_t record::*>) {
      to.*number += more.*number;
    }
  });
  deque::counts::each([&](const char*, auto field) { to.stealing.*field += more.stealing.*field; });
}

std::string report_head(const process_facts& of) {
  std::string lines(magic);
  lines += '\n';
  auto add = fields_into(lines);
  each_fact(of, std::ref(add));
  lines += '\n';
  return lines;
}

std::string record_line(const record& r) {
  std::string line;
  auto add = fields_into(line);
  each_field(r, std::ref(add));
  line += '\n';
  return line;
}

std::string report_end(std::uint64_t records) {
  return std::string(end_mark) + '\t' + std::to_string(records) + '\n';
}

std::string report_text(const report& what) {
  std::string text = report_head(what);
  for (const record& r : what.records) text += record_line(r);
  text += report_end(what.records.size());
  return text;
}

report read_report(std::string_view text, bool may_be_cut) {
  report found;
  base::text_lines lines(text);
  {
    const line_reader line(lines);
    if (line.rest() != magic) {
      fail(line.number(), "is \"" + std::string(line.rest().substr(0, 80)) + "\", expected \"" +
                              std::string(magic) + "\"");
    }
  }
  {
    line_reader line(lines);
    each_fact(found, [&](std::string_view name, auto& field) { line.take(name, field); });
    line.done();
  }
  for (;;) {
    if (may_be_cut && !lines.has_whole()) return found;
    line_reader line(lines);
    if (line.begins_with(end_mark)) {
      std::string mark;
      std::uint64_t count = 0;
      line.take("end", mark);
      line.take("records", count);
      line.done();
      if (count != found.records.size()) {
        fail(line.number(), std::to_string(count) + " records announced, but " +
                                std::to_string(found.records.size()) + " found");
      }
      return found;
    }
    record& r = found.records.emplace_back();
    each_field(r, [&](std::string_view name, auto& field) { line.take(name, field); });
    line.done();
  }
}

}  // namespace doall::observe
