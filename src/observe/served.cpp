#include "observe/served.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/fork.hpp"
#include "observe/other_runtimes.hpp"

namespace doall::observe {
namespace {

// Whether this process has left the mark.
sync::atomic<bool> has_served{false};

[[gnu::constructor]] void note_loading() { append_to_served("loaded\n"); }

template <class... Values>
void append_line(const char* format, Values... values) {
  char line[64];
  const int length = std::snprintf(line, sizeof line, format, values...);
  append_to_served({line, static_cast<std::size_t>(length)});
}

// Of all its threads, in microseconds.
long long cpu_time_us() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto in_us = [](const timeval& t) { return 1'000'000LL * t.tv_sec + t.tv_usec; };
  return in_us(used.ru_utime) + in_us(used.ru_stime);
}

[[gnu::destructor]] void note_end() {
  if (std::getenv(served_file_variable) == nullptr) return;
  // (1) relaxed; alone: the process is ending
  if (has_served.load(sync::relaxed))
    append_line("ended %lld %lld\n", static_cast<long long>(getpid()), cpu_time_us());
  else
    append_other_runtimes();
}

[[maybe_unused]] const int forgotten_in_children = base::at_fork(nullptr, nullptr, [] {
  // (2) relaxed; alone: the child has one thread
  has_served.store(false, sync::relaxed);
});

}  // namespace

void leave_served_mark() {
  // (3) relaxed; alone: of two threads the first leaves the mark
  if (!has_served.exchange(true, sync::relaxed))
    append_line("served %lld\n", static_cast<long long>(getpid()));
}

}  // namespace doall::observe
