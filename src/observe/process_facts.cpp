#include "observe/process_facts.hpp"

#include <unistd.h>

#include <ctime>
#include <string_view>

#include "base/clock.hpp"
#include "base/file_text.hpp"
#include "base/fork.hpp"
#include "base/own_cpus.hpp"
#include "observe/report_path.hpp"

namespace doall::observe {
namespace {

std::uint64_t loaded_ns = base::now_ns();
const std::uint32_t loaded_cpus = base::count_own_cpus();
[[maybe_unused]] const int facts_anew_in_children =
    base::at_fork(nullptr, nullptr, [] { loaded_ns = base::now_ns(); });

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("@%+=:,./_-").find(c) != std::string_view::npos;
}

// Behind the others, quoted if a shell would not take it for a word.
void add_word(std::string& to, std::string_view word) {
  if (!to.empty()) to += ' ';
  bool plain = !word.empty();
  for (const char c : word) plain = plain && is_plain(c);
  if (plain) {
    to += word;
    return;
  }
  to += '\'';
  for (const char c : word) {
    if (c == '\'')
      to += "'\\''";
    else
      to += c;
  }
  to += '\'';
}

std::string command_line() {
  constexpr std::size_t bytes_most = 4'000;
  std::string all = base::contents("/proc/self/cmdline").value_or("");
  const bool cut = all.size() > bytes_most;
  if (cut) all.resize(bytes_most);
  std::string words;
  for (std::string_view rest = all; !rest.empty();) {
    const auto end = rest.find('\0');
    add_word(words, rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return cut ? words + " ..." : words;
}

// What the command sets for itself is no setting of the user's.
bool is_setting(std::string_view variable) {
  for (const std::string_view own :
       {"DOALL_REPORT_", "DOALL_LIVE_", "DOALL_SERVED_", "DOALL_CHOICES_"}) {
    if (variable.starts_with(own)) return false;
  }
  for (const std::string_view of : {"OMP_", "GOMP_", "KMP_", "DOALL_"}) {
    if (variable.starts_with(of)) return true;
  }
  return false;
}

std::string settings() {
  std::string words;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    if (is_setting(*one)) add_word(words, *one);
  }
  return words;
}

}  // namespace

std::string command_text(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) add_word(text, word);
  return text;
}

process_facts facts_of_this_process(std::uint32_t threads) {
  constexpr std::uint64_t ns_in_s = 1'000'000'000;
  process_facts now;
  now.pid = static_cast<std::uint64_t>(getpid());
  now.threads = threads;
  now.wall_ns = base::now_ns() - loaded_ns;
  now.began_s = static_cast<std::uint64_t>(std::time(nullptr)) - now.wall_ns / ns_in_s;
  now.cpus = loaded_cpus;
  now.program = program_name();
  now.command = command_line();
  now.settings = settings();
  return now;
}

}  // namespace doall::observe
