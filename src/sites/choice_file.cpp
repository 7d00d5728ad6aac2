#include "sites/choice_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include "settings/settings.hpp"

namespace doall::team {
namespace {

constexpr std::string_view magic = "doall-choices 1";

// The shortest text that is read as the same number, whatever the program's locale is.
std::string text_of(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, std::end(text), value);
  return error == std::errc() ? std::string(text, end) : "0";
}

[[noreturn]] void fail(std::size_t line, const std::string& why) {
  throw std::runtime_error("line " + std::to_string(line) + ": " + why);
}

std::string in_field(std::string_view name, std::string_view what) {
  std::string all = "field ";
  all.append(name).append(" ").append(what);
  return all;
}

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
  Number number(const char* name, std::string_view text, Number least, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || !(value >= least) || !(value <= most)) {
      fail(number_,
           in_field(name, "is \"" + std::string(text) + "\", expected a number that it can have"));
    }
    return value;
  }
  template <class Number>
  Number number(const char* name, Number least, Number most) {
    return number<Number>(name, next(name), least, most);
  }

  std::size_t line() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_;
  bool left_ = true;
};

constexpr std::uint64_t any_most = ~std::uint64_t{0};
constexpr double time_most = 1e18;

kept_site read_site(line_fields& of) {
  kept_site s;
  s.module = of.next("module");
  s.offset = of.number<std::uint64_t>("offset", 0, any_most);
  s.file = of.next("file");
  s.line = of.number<std::uint32_t>("line", 0, ~0U);
  s.iteration_ns = of.number<double>("iteration_ns", 0, time_most);
  s.burden_ns = of.number<double>("burden_ns", 0, time_most);
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

void write_choices(std::ostream& out, const kept_choices& all) {
  out << magic << '\n' << "threads\t" << std::to_string(all.threads) << '\n';
  for (const kept_site& s : all.sites) {
    out << "site\t" << s.module << '\t' << std::to_string(s.offset) << '\t' << s.file << '\t'
        << std::to_string(s.line) << '\t' << text_of(s.iteration_ns) << '\t' << text_of(s.burden_ns)
        << '\t' << std::to_string(s.inside) << '\n';
    for (const kept_cuts& c : s.cuts) {
      out << "cuts\t" << c.schedule << '\t' << std::to_string(c.workers) << '\t';
      const char* blank = "";
      for (const std::uint64_t begin : c.begins) {
        out << blank << std::to_string(begin);
        blank = " ";
      }
      out << '\n';
    }
  }
  out << "end\t" << std::to_string(all.sites.size()) << '\n';
}

kept_choices read_choices(std::istream& in) {
  kept_choices all;
  std::string text;
  std::size_t number = 0;
  const auto next_line = [&] {
    ++number;
    if (!std::getline(in, text)) fail(number, "expected more lines, the file ends here");
    return line_fields(text, number);
  };
  next_line();
  if (text != magic)
    fail(number, "is \"" + text.substr(0, 80) + "\", expected \"" + std::string(magic) + '"');
  line_fields head = next_line();
  if (head.next("threads") != "threads") fail(number, "expected the number of threads");
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
        fail(number, std::to_string(sites) + " sites announced, but " +
                         std::to_string(all.sites.size()) + " found");
      return all;
    } else {
      fail(number, "begins with \"" + std::string(kind) + "\", expected site, cuts or end");
    }
  }
}

}  // namespace doall::team
