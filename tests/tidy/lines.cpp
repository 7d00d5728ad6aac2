// The rules that look at one line at a time.
#include <regex>

#include "rules.hpp"

namespace tidy {
namespace {

bool is_sync_seam(const source& file) {
  return file.is_below("src/base/sync") && file.path.ends_with(".hpp");
}

struct banned_call {
  const char* call;  // a regular expression, over code without comments and strings
  bool headers_only;
  const char* instead;
};

// Few, each because it cost something. Every entry says what to use instead.
constexpr banned_call banned[] = {
    {R"(\b(sleep_for|sleep_until|usleep|nanosleep)\b)", false,
     "a sleep that nobody can end: wait at a park::gate"},
    {R"(\b(rand|srand|rand_r|random)\s*\()", false,
     "hidden state, and no seed to repeat a failure from: use base/rng.hpp"},
    {R"(\b(sched_yield|this_thread::yield)\b)", false,
     "unseen by the model checker: use sync::yield()"},
    {R"(\b(printf|fprintf|puts|fputs)\s*\(|\bstd::c(out|err)\b)", true,
     "a header that prints: do it in a .cpp"},
};

}  // namespace

void check_length(const tree& files, reporter& report) {
  constexpr std::size_t lines_max = 400;
  constexpr std::size_t reason_within = 15;
  static const std::regex reason(R"(^\s*(//|/?\*).*\bLength:\s*\S)");
  for (const source& file : files) {
    if (!file.is_cpp() || file.text.size() <= lines_max) continue;
    bool has_reason = false;
    for (std::size_t i = 0; i < reason_within; ++i) {
      has_reason = has_reason || std::regex_search(file.text[i], reason);
    }
    if (has_reason) continue;
    report(file, lines_max + 1,
           std::to_string(file.text.size()) + " lines, at most " + std::to_string(lines_max) +
               " unless a comment in the first " + std::to_string(reason_within) +
               " lines says why (\"Length: ...\")");
  }
}

void check_atomics(const tree& files, reporter& report) {
  static const std::regex atomic(
      R"(\bstd::(atomic|memory_order)\w*|#\s*include\s*<(atomic|stdatomic\.h)>|\b__(atomic|sync)_\w+|\bvolatile\b)");
  // An asm that reads a clock has to be volatile; one that clobbers memory is a
  // fence of the compiler.
  static const std::regex plain_asm(R"(\b(asm|__asm__)\s+volatile\b(?!.*"memory"))");
  for (const source& file : files) {
    if (!file.is_below("src/") || !file.is_cpp() || is_sync_seam(file)) continue;
    for (std::size_t i = 0; i < file.code.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(file.code[i], match, atomic)) continue;
      if (std::regex_search(file.uncommented[i], plain_asm)) continue;
      report(file, i + 1, match[0].str() + " outside src/base/sync.hpp, the one seam for atomics");
    }
  }
}

void check_banned_calls(const tree& files, reporter& report) {
  for (const banned_call& b : banned) {
    const std::regex call(b.call);
    for (const source& file : files) {
      if (!file.is_below("src/") || !file.is_cpp() || is_sync_seam(file)) continue;
      if (b.headers_only && !file.is_header()) continue;
      for (std::size_t i = 0; i < file.code.size(); ++i) {
        std::smatch match;
        if (!std::regex_search(file.code[i], match, call)) continue;
        report(file, i + 1, match[0].str() + ": " + b.instead);
      }
    }
  }
}

void check_leftovers(const tree& files, reporter& report) {
  // Each word in two parts, so that this file passes its own rule.
  static const std::regex word(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X)\\b");
  for (const source& file : files) {
    for (std::size_t i = 0; i < file.text.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(file.text[i], match, word)) continue;
      report(file, i + 1, match[0].str() + ": finish it, or write it down as an issue");
    }
  }
}

}  // namespace tidy
