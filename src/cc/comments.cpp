#include "cc/comments.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "cc/clause_text.hpp"

namespace doall::cli {
namespace {

// A text's characters one by one, without what does not count.
class reader {
 public:
  explicit reader(std::string_view text) : text_(text) {}

  // The next one; 0 at the end.
  char next() {
    if (quoted_end_ <= at_) pass_over();
    if (at_ >= text_.size()) return 0;
    if (quoted_end_ <= at_) begin_quoted();
    line_begins_ = false;
    return text_[at_++];
  }

 private:
  bool stands(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void go_behind(std::string_view what, std::size_t from) {
    const std::size_t end = text_.find(what, from);
    at_ = end == npos ? text_.size() : end + what.size();
  }

  void pass_over() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') {
        line_begins_ = true;
        ++at_;
      } else if (is_blank(text_[at_])) {
        ++at_;
      } else if (stands("/*")) {
        go_behind("*/", at_ + 2);
      } else if (stands("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (line_begins_ && is_marker()) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  bool is_marker() const {
    return stands("# ") && at_ + 2 < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[at_ + 2])) != 0;
  }

  // What is quoted counts as it is.
  void begin_quoted() {
    const char c = text_[at_];
    if (const std::string ends = end_of_raw_string(text_, at_); !ends.empty()) {
      const std::size_t end = text_.find(ends, at_ + ends.size());
      quoted_end_ = end == npos ? text_.size() : end + ends.size();
    } else if (c == '"' || (c == '\'' && !parts_digits(text_, at_))) {
      quoted_end_ = at_ + 1;
      while (quoted_end_ < text_.size() && text_[quoted_end_] != c)
        quoted_end_ += text_[quoted_end_] == '\\' ? 2 : 1;
      ++quoted_end_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t quoted_end_ = 0;  // what is before it is quoted
  bool line_begins_ = true;
};

}  // namespace

bool same_but_comments(std::string_view one, std::string_view other) {
  reader a(one);
  reader b(other);
  for (;;) {
    const char c = a.next();
    if (c != b.next()) return false;
    if (c == 0) return true;
  }
}

}  // namespace doall::cli
