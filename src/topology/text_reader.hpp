// Reads the small languages of this room's variables from front to back.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace doall::topology {

// Takes pieces off the front of a text, past blanks.
class text_reader {
 public:
  explicit text_reader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<long> take_number() {
    skip_blanks();
    long value = 0;
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  // Letters and underscores; with `digits`, those behind them, too.
  std::string_view take_word(bool digits = false) {
    skip_blanks();
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto end = std::ranges::find_if_not(rest_, is_letter);
    if (digits && end != rest_.begin()) {
      end = std::find_if_not(end, rest_.end(), [](char c) { return c >= '0' && c <= '9'; });
    }
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    return word;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

}  // namespace doall::topology
