#include "cc/clause_replacing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/env.hpp"
#include "cc/clause_text.hpp"

namespace doall::cli {
namespace {

// Where in the program's sources a line of preprocessed text is from.
class place {
 public:
  explicit place(std::string_view file) : file_(file) {}

  // Takes in a line; true: it is a line marker.
  bool reads_marker(std::string_view line) {
    if (line.empty() || line[0] != '#') return false;
    std::string_view rest = trim(line.substr(1));
    if (rest.starts_with("line")) rest = trim(rest.substr(4));
    if (rest.empty() || std::isdigit(static_cast<unsigned char>(rest[0])) == 0) return false;
    next_ = std::strtoul(std::string(rest).c_str(), nullptr, 10);
    const std::size_t open = rest.find('"');
    if (open == npos) return true;
    file_.clear();
    for (std::size_t at = open + 1; at < rest.size() && rest[at] != '"'; ++at) {
      if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
      file_ += rest[at];
    }
    return true;
  }
  void pass_line() { ++next_; }

  const std::string& file() const { return file_; }
  std::size_t line() const { return next_; }  // the number of the line that comes

 private:
  std::string file_;
  std::size_t next_ = 1;
};

class replacer {
 public:
  replacer(source_form form, std::string_view file) : form_(form), at_(file) {}

  named_source replace(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end);
      if (at_.reads_marker(line)) {
        flush();
        made_.text += line;
        continue;
      }
      form_ == source_form::c ? take_c(line) : take_fortran(line);
      at_.pass_line();
    }
    flush();
    return std::move(made_);
  }

 private:
  // The number that stands for the name.
  std::uint32_t number_of(const std::string& name) {
    auto found = std::ranges::find(made_.names, name);
    if (found == made_.names.end()) found = made_.names.insert(found, name);
    return first_name + static_cast<std::uint32_t>(found - made_.names.begin());
  }

  // Likewise for what is wrong with one.
  std::uint32_t number_of_wrong(std::size_t line, std::size_t column, const std::string& what) {
    return number_of(fmt::format("!{}|{}|{}|{}", at_.file(), line, column + 1, what));
  }

  // C and C++: the preprocessor has put each pragma on one line.
  void take_c(std::string_view line) {
    if (!raw_end_.empty() || in_comment_ || !is_pragma(line)) {
      made_.text += line;
      follow_quotes(line);
      return;
    }
    std::size_t done = 0;
    for (auto c = find_clause(line, 0); c; c = find_clause(line, c->end)) {
      const meaning m = meaning_of(c->inside);
      if (!m.ours) continue;
      const std::uint32_t number =
          m.name.empty() ? number_of_wrong(at_.line(), c->begin, m.error) : number_of(m.name);
      made_.text += line.substr(done, c->begin - done);
      made_.text += fmt::format("schedule(dynamic, {})", number);
      done = c->end;
    }
    made_.text += line.substr(done);
  }

  static bool is_pragma(std::string_view line) {
    line = trim(line);
    for (const std::string_view word : {"#", "pragma", "omp"}) {
      if (!line.starts_with(word)) return false;
      line = trim(line.substr(word.size()));
    }
    return true;
  }

  // A raw string, or a comment, may have lines that look like pragmas.
  void follow_quotes(std::string_view line) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (in_comment_) {
        const std::size_t end = line.find("*/", at);
        if (end == npos) return;
        in_comment_ = false;
        at = end + 1;
      } else if (!raw_end_.empty()) {
        const std::size_t end = line.find(raw_end_, at);
        if (end == npos) return;
        at = end + raw_end_.size() - 1;
        raw_end_.clear();
      } else if (line.substr(at, 2) == "//") {
        return;
      } else if (line.substr(at, 2) == "/*") {
        in_comment_ = true;
        ++at;
      } else if (raw_end_ = end_of_raw_string(line, at); !raw_end_.empty()) {
        at += raw_end_.size() - 1;  // to its bracket
      } else if (line[at] == '"' || (line[at] == '\'' && !parts_digits(line, at))) {
        const char quote = line[at];
        for (++at; at < line.size() && line[at] != quote; ++at) {
          if (line[at] == '\\') ++at;
        }
      }
    }
  }

  // Fortran: a directive may have several lines, and a clause may begin on one and end on another.
  void take_fortran(std::string_view line) {
    const std::size_t begin = directive_begin(line);
    const bool goes_on = begin != npos && !lines_.empty() && is_continuation(line, begin);
    if (!goes_on) flush();
    if (begin == npos) {
      made_.text += line;
      return;
    }
    if (lines_.empty()) first_line_ = at_.line();
    lines_ += line;
    const std::size_t base = lines_.size() - line.size();
    std::size_t from = begin;
    if (form_ == source_form::fixed_fortran) ++from;  // the column that says that it continues
    if (form_ == source_form::free_fortran && goes_on) {
      while (from < line.size() && (is_blank(line[from]) || line[from] == '&')) ++from;
    }
    more_ = false;
    std::size_t end = line.size();
    for (std::size_t at = from; at < end; ++at) {
      if (line[at] == '!' || line[at] == '\n') end = at;  // a comment
    }
    while (end > from && is_blank(line[end - 1])) --end;
    if (form_ == source_form::free_fortran && end > from && line[end - 1] == '&') {
      more_ = true;
      --end;
    }
    joined_ += ' ';
    places_.push_back(npos);
    for (std::size_t at = from; at < end; ++at) {
      joined_ += line[at];
      places_.push_back(base + at);
    }
  }

  // Where the text of a directive's line begins, behind "!$omp"; npos: it is another line.
  std::size_t directive_begin(std::string_view line) const {
    std::size_t at = 0;
    if (form_ == source_form::free_fortran) {
      while (at < line.size() && is_blank(line[at])) ++at;
      if (at < line.size() && line[at] != '!') return npos;
    } else if (line.empty() || std::string_view("!cC*").find(line[0]) == npos) {
      return npos;
    }
    constexpr std::string_view sentinel = "$omp";
    if (at + 1 + sentinel.size() > line.size()) return npos;
    return base::same_word(line.substr(at + 1, sentinel.size()), sentinel)
               ? at + 1 + sentinel.size()
               : npos;
  }

  bool is_continuation(std::string_view line, std::size_t begin) const {
    if (form_ == source_form::free_fortran) return more_;
    return begin < line.size() && line[begin] != ' ' && line[begin] != '0' && line[begin] != '\n';
  }

  // Ends the directive that the last lines were.
  void flush() {
    if (lines_.empty()) return;
    std::vector<std::pair<clause, std::uint32_t>> ours;
    for (auto c = find_clause(joined_, 0); c; c = find_clause(joined_, c->end)) {
      const meaning m = meaning_of(c->inside);
      if (m.ours)
        ours.emplace_back(*c, m.name.empty() ? number_of_wrong(*c, m.error) : number_of(m.name));
    }
    if (form_ == source_form::free_fortran)
      put_inside(ours);
    else
      append(ours);
    made_.text += lines_;
    lines_.clear();
    joined_.clear();
    places_.clear();
    more_ = false;
  }

  std::uint32_t number_of_wrong(const clause& c, const std::string& what) {
    const std::string_view before = std::string_view(lines_).substr(0, places_[c.begin]);
    const auto above = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t line_begin = before.rfind('\n') == npos ? 0 : before.rfind('\n') + 1;
    return number_of_wrong(first_line_ + above, before.size() - line_begin, what);
  }

  // Free form: between the brackets, where there is something on each line, for no line may be
  // empty.
  void put_inside(const std::vector<std::pair<clause, std::uint32_t>>& clauses) {
    for (std::size_t i = clauses.size(); i-- > 0;) {  // the last first: others keep their places
      const auto& [c, number] = clauses[i];
      const auto begin = static_cast<std::size_t>(c.inside.data() - joined_.data());
      std::vector<std::size_t> pieces;  // where each line's begins
      for (std::size_t at = begin; at < begin + c.inside.size(); ++at) {
        const std::size_t place = places_[at];
        if (place == npos || is_blank(lines_[place])) continue;
        const bool same_line =
            !pieces.empty() &&
            std::string_view(lines_).substr(pieces.back(), place - pieces.back()).find('\n') ==
                npos;
        if (!same_line) pieces.push_back(place);
        lines_[place] = same_line ? ' ' : '0';
      }
      const std::string value = std::to_string(number);
      for (std::size_t p = pieces.size(); p-- > 0;) {
        const bool first = p == 0;
        const bool last = p + 1 == pieces.size();
        const std::string piece = std::string(first ? "dynamic," : "") + (last    ? value
                                                                          : first ? ""
                                                                                  : "0+");
        lines_.replace(pieces[p], 1, piece);
      }
    }
  }

  // Fixed form: on a line of its own behind the directive's, since lines have a length; the line
  // after that is numbered as it was.
  void append(const std::vector<std::pair<clause, std::uint32_t>>& clauses) {
    if (clauses.empty()) return;
    const auto lines = static_cast<std::size_t>(std::ranges::count(lines_, '\n'));
    if (lines_.back() != '\n') lines_ += '\n';
    for (const auto& [c, number] : clauses) {
      for (std::size_t at = c.begin; at < c.end; ++at) {
        if (places_[at] != npos) lines_[places_[at]] = ' ';
      }
      lines_ += fmt::format("!$omp&schedule(dynamic,{})\n", number);
    }
    lines_ += fmt::format("# {} \"{}\"\n", first_line_ + lines, at_.file());
  }

  source_form form_;
  place at_;
  named_source made_;
  std::string raw_end_;      // of the raw string that the text is in
  bool in_comment_ = false;  // it is in one of several lines
  // The directive that the last lines are: as they are, and joined, with each character's place.
  std::string lines_;
  std::string joined_;
  std::vector<std::size_t> places_;
  std::size_t first_line_ = 0;
  bool more_ = false;
};

}  // namespace

named_source replace_clauses(std::string_view text, source_form form, std::string_view file) {
  return replacer(form, file).replace(text);
}

}  // namespace doall::cli
