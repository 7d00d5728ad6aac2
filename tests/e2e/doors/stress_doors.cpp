// Random programs of everything that meets in one process: regions, loops, groups, locks held
// across them, threads, forks, and ends of all kinds. Each process of programs is a function of
// its seed; one in which nothing moves for 5 s hangs, and all its threads' stacks are printed.
//
//   DOALL_TEST_SEED=n        run the one process n
//   DOALL_TEST_CASES=n       run the processes 1 to n, however long that takes; default: as many
//                            as begin in 8 s (DOALL_TEST_SECONDS; times DOALL_TEST_LONG), in a
//                            long run half of them from a seed that is taken from the clock
//   DOALL_TEST_FIRST=n       begin at n
//   DOALL_TEST_LEAVE_OUT=a,b leave out these actions, endings and settings, by their names
//   DOALL_TEST_FAILURES=n    go on until so many processes have failed; default 1
//   DOALL_TEST_STALL=n       seconds after which a process hangs; default 5
//
// The full run is DOALL_TEST_CASES=10000: 10^5 programs.
//   stress_doors PROCESS UNLOAD MODULE
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/rng.hpp"
#include "doors/watcher.hpp"
#include "support/every_schedule.hpp"

namespace doall::doors {
namespace {

constexpr int exited_7 = 7 << 8;

#if defined(__SANITIZE_THREAD__)
constexpr bool thread_sanitizer = true;
#else
constexpr bool thread_sanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif
constexpr bool sanitized = thread_sanitizer || address_sanitizer;

struct ending {
  const char* name;
  unsigned weight;
  int status;
};
constexpr ending endings[] = {
    {"return", 10, 0},
    {"exit_in_body", 6, exited_7},
    {"quick_exit_in_body", 1, exited_7},
    {"terminate", 3, SIGTERM},
    {"exit_beside_threads", 6, exited_7},
    {"main_leaves", 6, 0},
    {"unload", 4, 0},
};

// What a sanitizer cannot do, whatever the library does. It keeps locks in the child of a fork
// that another thread held; it is never unloaded; and ThreadSanitizer has a thread of its own,
// which keeps a process alive that all others have left.
std::string left_out_always() {
  std::string all;
  if (sanitized) all += "fork,fork_leaves_region,fork_leaves_loop,fork_leaves_group,unload,";
  if (thread_sanitizer) all += "main_leaves,";
  return all;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ";") + one;
  return text;
}

const ending& draw_ending(base::rng& random) {
  unsigned weights = 0;
  for (const ending& e : endings) weights += is_left_out(e.name) ? 0 : e.weight;
  u64 at = random.below(weights);
  for (const ending& e : endings) {
    if (is_left_out(e.name)) continue;
    if (at < e.weight) return e;
    at -= e.weight;
  }
  std::abort();
}

// Settings of the process, each one once in some processes.
struct setting {
  const char* name;  // to leave it out
  unsigned one_in;
  const char* text;
};
constexpr setting settings[] = {
    {"passive", 4, "OMP_WAIT_POLICY=passive"},
    {"spin", 6, "DOALL_SPIN_NS=2000"},
    {"shared", 3, "DOALL_SMALL_LOOPS=shared"},
    {"limit", 8, "OMP_THREAD_LIMIT=6"},
    {"pinned", 8, "OMP_PROC_BIND=true"},
    {"report", 8, "DOALL_REPORT_FOLDER=/dev/null/none"},
    {"machine", 3, "DOALL_OVERSUBSCRIBE=false"},
    {"domains", 6, "DOALL_DOMAINS=3,3"},
};

struct programs {
  std::string process;
  std::string unload;
  std::string module;

  started_process of(u64 seed) const {
    base::rng random(seed);
    const ending& end = draw_ending(random);
    started_process p;
    p.status = end.status;
    const std::string number = std::to_string(random.next());
    if (std::string(end.name) == "unload")
      p.arguments = {unload, module, number};
    else
      p.arguments = {process, end.name, number};
    p.environment = {"DOALL_OVERSUBSCRIBE=true", "OMP_STACKSIZE=2M"};
    for (const setting& s : settings) {
      if (random.below(s.one_in) == 0 && !is_left_out(s.name)) p.environment.emplace_back(s.text);
    }
    return p;
  }
};

void tell_how_to_repeat(const std::string& self, const programs& all, u64 seed) {
  const char* const out = std::getenv(leave_out_variable);
  std::fprintf(stderr,
               "to repeat: %s=%s DOALL_TEST_SEED=%llu %s %s %s %s\n  it runs:", leave_out_variable,
               out, static_cast<unsigned long long>(seed), self.c_str(), all.process.c_str(),
               all.unload.c_str(), all.module.c_str());
  const started_process p = all.of(seed);
  for (const std::string& e : p.environment) std::fprintf(stderr, " '%s'", e.c_str());
  for (const std::string& a : p.arguments) std::fprintf(stderr, " %s", a.c_str());
  std::fprintf(stderr, "\n");
}

u64 number_in(const char* variable, u64 otherwise) {
  const std::string usual = std::to_string(otherwise);
  return base::env_number(variable, 0, base::u64_max, usual).value_or(otherwise);
}

// Runs processes from seed `first` on, and says how to repeat those that fail.
class session {
 public:
  session(std::string self, programs all)
      : self_(std::move(self)),
        all_(std::move(all)),
        watch_(static_cast<unsigned>(number_in("DOALL_TEST_STALL", sanitized ? 15 : 5)),
               sanitized ? 300 : 120),
        failures_most_(number_in("DOALL_TEST_FAILURES", 1)) {}

  void run(u64 first, u64 count, u64 deadline_ns) {
    for (u64 seed = first; seed != first + count && failures_ < failures_most_; ++seed) {
      if (base::now_ns() >= deadline_ns) return;
      ++processes_;
      if (watch_.run(all_.of(seed))) continue;
      ++failures_;
      tell_how_to_repeat(self_, all_, seed);
    }
  }

  int result() const {
    std::printf("%llu processes, %llu programs, %llu actions, %llu failures\n",
                static_cast<unsigned long long>(processes_),
                static_cast<unsigned long long>(watch_.programs()),
                static_cast<unsigned long long>(watch_.actions()),
                static_cast<unsigned long long>(failures_));
    return failures_ == 0 ? 0 : 1;
  }

 private:
  const std::string self_;
  const programs all_;
  watcher watch_;
  const u64 failures_most_;
  u64 processes_ = 0;
  u64 failures_ = 0;
};

int run(const char* self, programs all) {
  setenv(schedules_variable, joined(tests::every_schedule_text()).c_str(), 1);
  const char* const given = std::getenv(leave_out_variable);
  const std::string left_out = given != nullptr && std::string(given).starts_with(left_out_always())
                                   ? given
                                   : left_out_always() + (given != nullptr ? given : "");
  setenv(leave_out_variable, left_out.c_str(), 1);
  session s(self, std::move(all));
  if (const u64 seed = number_in("DOALL_TEST_SEED", 0); seed != 0) {
    s.run(seed, 1, base::u64_max);
    return s.result();
  }
  const u64 first = number_in("DOALL_TEST_FIRST", 1);
  if (const u64 cases = number_in("DOALL_TEST_CASES", 0); cases != 0) {
    s.run(first, cases, base::u64_max);
    return s.result();
  }
  // The usual run has the same programs each time; a long one is for half of it somewhere new.
  const u64 times_longer = number_in("DOALL_TEST_LONG", 1);
  const u64 half_ns = number_in("DOALL_TEST_SECONDS", 8 * times_longer) * 500'000'000;
  s.run(first, base::u64_max / 2, base::now_ns() + half_ns);
  if (times_longer > 1) s.run(base::now_ns(), base::u64_max / 2, base::now_ns() + half_ns);
  return s.result();
}

}  // namespace
}  // namespace doall::doors

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: stress_doors PROCESS UNLOAD MODULE\n");
    return 2;
  }
  return doall::doors::run(arguments[0], {arguments[1], arguments[2], arguments[3]});
}
