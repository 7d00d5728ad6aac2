#include "sites/choice_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/file_text.hpp"
#include "settings/settings.hpp"

namespace doall::team {
namespace {

constexpr std::string_view magic = "doall-choices 2";

// A time as the bits of its double: exact, and without the tables that its digits would take.
std::string text_of(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

[[noreturn]] void fail(std::size_t line, const std::string& why) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + why);
}

std::string in_field(std::string_view name, std::string_view what) {
  std::string all = "field ";
  all.append(name).append(" ").append(what);
  return all;
}

constexpr std::uint64_t any_most = ~std::uint64_t{0};
constexpr double time_most = 1e18;

// A line's fields, from left to right.
class line_fields {
 public:
  line_fields(std::string_view text, std::size_t number) : rest_(text), number_(number) {}

  std::string_view next(const char* name) {
    if (!left_) fail(number_, in_field(name, "is missing"));
    const std::size_t tab = rest_.find('\t');
    const std::string_view field = rest_.substr(0, tab);
    left_ = tab != std::string_view::npos;
    rest_ = left_ ? rest_.substr(tab + 1) : std::string_view{};
    return field;
  }

  template <class Number>
  Number number(const char* name, std::string_view text, Number least, Number most) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || value < least || value > most) refuse(name, text);
    return value;
  }
  template <class Number>
  Number number(const char* name, Number least, Number most) {
    return number<Number>(name, next(name), least, most);
  }
  double time_ns(const char* name) {
    const std::string_view text = next(name);
    const auto value = std::bit_cast<double>(number<std::uint64_t>(name, text, 0, any_most));
    if (!(value >= 0 && value <= time_most)) refuse(name, text);
    return value;
  }

  std::string_view rest() const { return rest_; }
  std::size_t line() const { return number_; }

 private:
  [[noreturn]] void refuse(const char* name, std::string_view text) const {
    fail(number_,
         in_field(name, "is \"" + std::string(text) + "\", expected a number that it can have"));
  }

  std::string_view rest_;
  std::size_t number_;
  bool left_ = true;
};

kept_site read_site(line_fields& of) {
  kept_site s;
  s.module = of.next("module");
  s.offset = of.number<std::uint64_t>("offset", 0, any_most);
  s.file = of.next("file");
  s.line = of.number<std::uint32_t>("line", 0, ~0U);
  s.iteration_ns = of.time_ns("iteration_ns");
  s.burden_ns = of.time_ns("burden_ns");
  s.inside = of.number<std::uint8_t>("inside", 0, 2);
  return s;
}

kept_cuts read_cuts(line_fields& of) {
  kept_cuts c;
  c.schedule = of.next("schedule");
  c.workers = of.number<std::uint32_t>("workers", 2, most_workers);
  std::string_view rest = of.next("begins");
  while (!rest.empty()) {
    const auto blank = rest.find(' ');
    c.begins.push_back(of.number<std::uint64_t>("begins", rest.substr(0, blank), 0, any_most));
    rest = blank == std::string_view::npos ? std::string_view{} : rest.substr(blank + 1);
  }
  const bool fits = c.begins.empty() || c.begins.size() == c.workers - 1;
  if (!fits || !std::ranges::is_sorted(c.begins))
    fail(of.line(), "begins are " + std::to_string(c.begins.size()) + " numbers, expected " +
                        std::to_string(c.workers - 1) + ", in increasing order");
  return c;
}

}  // namespace

std::string choices_text(const kept_choices& all) {
  std::string text(magic);
  const auto add_line = [&text](std::initializer_list<std::string_view> fields) {
    const char* separator = "\n";
    for (const std::string_view field : fields)
      text.append(std::exchange(separator, "\t")).append(field);
  };
  add_line({"threads", std::to_string(all.threads)});
  for (const kept_site& s : all.sites) {
    add_line({"site", s.module, std::to_string(s.offset), s.file, std::to_string(s.line),
              text_of(s.iteration_ns), text_of(s.burden_ns), std::to_string(s.inside)});
    for (const kept_cuts& c : s.cuts) {
      std::string begins;
      for (const std::uint64_t begin : c.begins)
        begins.append(begins.empty() ? "" : " ").append(std::to_string(begin));
      add_line({"cuts", c.schedule, std::to_string(c.workers), begins});
    }
  }
  add_line({"end", std::to_string(all.sites.size())});
  text += '\n';
  return text;
}

kept_choices read_choices(std::string_view text) {
  kept_choices all;
  base::text_lines lines(text);
  const auto next_line = [&lines] {
    const std::optional<std::string_view> line = lines.next();
    if (!line) fail(lines.number() + 1, "expected more lines, the file ends here");
    return line_fields(*line, lines.number());
  };
  line_fields first = next_line();
  if (first.rest() != magic) {
    fail(1, "is \"" + std::string(first.rest().substr(0, 80)) + "\", expected \"" +
                std::string(magic) + '"');
  }
  line_fields head = next_line();
  if (head.next("threads") != "threads") fail(lines.number(), "expected the number of threads");
  all.threads = head.number<std::uint32_t>("threads", 1, most_workers);
  for (;;) {
    line_fields line = next_line();
    const std::string_view kind = line.next("kind");
    if (kind == "site") {
      all.sites.push_back(read_site(line));
    } else if (kind == "cuts" && !all.sites.empty()) {
      all.sites.back().cuts.push_back(read_cuts(line));
    } else if (kind == "end") {
      const auto sites = line.number<std::uint64_t>("sites", 0, any_most);
      if (sites != all.sites.size())
        fail(lines.number(), std::to_string(sites) + " sites announced, but " +
                                 std::to_string(all.sites.size()) + " found");
      return all;
    } else {
      fail(lines.number(), "begins with \"" + std::string(kind) + "\", expected site, cuts or end");
    }
  }
}

}  // namespace doall::team
