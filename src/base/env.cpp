#include "base/env.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"

namespace doall::base {
namespace {

// The messages of warn_once() so far, by what they are without their numbers.
using messages = std::set<std::string, std::less<>>;
using messages_by_kind = std::map<std::string, messages, std::less<>>;
constexpr std::size_t of_a_kind_most = 8;
constinit lazy<messages_by_kind> said;
constinit lone_mutex said_lock;
[[maybe_unused]] const int said_lock_is_free = free_in_children<said_lock>();
const at_unload forget_said([] { said.drop(); });

constexpr std::string_view of_all_devices[] = {
    "OMP_DEFAULT_DEVICE", "OMP_DYNAMIC",     "OMP_MAX_ACTIVE_LEVELS", "OMP_NUM_TEAMS",
    "OMP_NUM_THREADS",    "OMP_PROC_BIND",   "OMP_SCHEDULE",          "OMP_STACKSIZE",
    "OMP_THREAD_LIMIT",   "OMP_WAIT_POLICY", "OMP_TEAMS_THREAD_LIMIT"};

std::string without_numbers(std::string_view message) {
  std::string kind;
  bool in_number = false;
  for (const char c : message) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit || !in_number) kind += is_digit ? '0' : c;
    in_number = is_digit;
  }
  return kind;
}

// Notes the message. Returns whether it is to be printed.
bool is_new(std::string_view message, bool& is_last) {
  const std::lock_guard hold(said_lock);
  messages& of_its_kind = said.get([] { return messages_by_kind(); })[without_numbers(message)];
  if (of_its_kind.size() == of_a_kind_most) return false;
  const bool added = of_its_kind.emplace(message).second;
  is_last = of_its_kind.size() == of_a_kind_most;
  return added;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

void warn(std::string_view message) {
  const std::string line = "doall: " + std::string(message) + "\n";
  // One write, so that lines of several threads do not mix. If standard error is gone, ignore it.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

void warn_once(std::string_view message) {
  bool is_last = false;
  if (!is_new(message, is_last)) return;
  // Outside the lock: it may take long, and a fork need not wait for it.
  warn(is_last ? std::string(message) + " (more that differ in numbers alone are not printed)"
               : message);
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::optional<std::string> env_text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr && std::ranges::count(of_all_devices, std::string_view(name)) != 0) {
    value = std::getenv((std::string(name) + "_ALL").c_str());
  }
  if (value == nullptr) return std::nullopt;
  return std::string(trim(value));
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least,
                                          std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> env_number(const char* name, std::uint64_t least, std::uint64_t most,
                                        std::string_view instead) {
  const std::optional<std::string> text = env_text(name);
  if (!text) return std::nullopt;
  const std::optional<std::uint64_t> value = parse_number(*text, least, most);
  if (!value) {
    warn_once(std::string(name) + "=\"" + *text + "\" is ignored: expected a whole number from " +
              std::to_string(least) + " to " + std::to_string(most) + "; " + std::string(instead) +
              " is used");
  }
  return value;
}

}  // namespace doall::base
