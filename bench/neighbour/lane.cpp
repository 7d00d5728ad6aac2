#include "neighbour/lane.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <sstream>

#include "base/clock.hpp"

namespace doall::bench {
namespace {

using uforall::loop_size;
using uforall::variant;

// Before what is timed: every thread is awake, and a runtime that learns from the gaps
// between loops has seen some.
constexpr std::uint64_t warm_up_ns = 5'000'000;
constexpr std::size_t warm_up_loops = 5;
// Of loops longer than the time that is asked for.
constexpr std::size_t loops_min = 10;

std::uint64_t cpu_ns(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

// The other threads of this process, as many as there are when it is made. The process's
// clock has a thread that runs elsewhere as of its CPU's last tick, up to 4 ms ago; the
// thread's own clock has it as of now, and brings the process's up to date.
class other_threads {
 public:
  other_threads() {
    const std::string caller = std::to_string(gettid());
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      const std::string id = task.path().filename();
      if (id != caller) clocks_.push_back(clock_of(std::stoi(id)));
    }
  }

  std::uint64_t cpu_ns() const {
    std::uint64_t sum_ns = 0;
    for (const clockid_t clock : clocks_) sum_ns += bench::cpu_ns(clock);
    return sum_ns;
  }

 private:
  // As the kernel numbers them; the C library tells only by pthread_t.
  static clockid_t clock_of(pid_t id) { return (~id << 3) | 6; }

  std::vector<clockid_t> clocks_;
};

// What a request says of its loops.
struct loops {
  uforall::site run;
  loop_size size{};
  std::uint64_t gap_ns = 0;
};

class stretch {
 public:
  explicit stretch(const loops& l) : loops_(l) { uforall::take_sum(); }

  // Loops for so long, and `count` at least.
  void run(std::uint64_t time_ns, std::size_t count) {
    loop_ns_.clear();
    others_ = other_threads();  // those that the loops before have started
    gaps_ns_ = 0;
    gaps_cpu_ns_ = 0;
    const std::uint64_t end_ns = base::now_ns() + time_ns;
    while (loop_ns_.size() < count || base::now_ns() < end_ns) one_loop();
  }

  std::string answer() {
    const std::size_t n = loop_ns_.size();
    if (uforall::take_sum() != ran_ * uforall::expected_sum(loops_.size)) {
      return "wrong: the loops do not add up to what their iterations give";
    }
    std::ranges::sort(loop_ns_);
    const auto sum_ns = std::accumulate(loop_ns_.begin(), loop_ns_.end(), std::uint64_t{0});
    std::ostringstream text;
    text << static_cast<double>(sum_ns) / static_cast<double>(n) << ' ' << loop_ns_[n / 2] << ' '
         << loop_ns_[n - 1 - n / 100] << ' ' << loop_ns_.back() << ' '
         << (gaps_ns_ > 0 ? static_cast<double>(gaps_cpu_ns_) / static_cast<double>(gaps_ns_) : 0);
    return text.str();
  }

 private:
  void one_loop() {
    const std::uint64_t begin_ns = base::now_ns();
    loops_.run(loops_.size);
    const std::uint64_t end_ns = base::now_ns();
    loop_ns_.push_back(end_ns - begin_ns);
    ++ran_;
    if (loops_.gap_ns > 0) work_alone_until(end_ns + loops_.gap_ns);
  }

  // A program's serial part, in which its workers have nothing to do. It takes longer when
  // the caller is preempted, and then they have that time too.
  void work_alone_until(std::uint64_t end_ns) {
    const std::uint64_t begin_ns = base::now_ns();
    const std::uint64_t before_ns = others_.cpu_ns();
    std::uint64_t now_ns = begin_ns;
    while (now_ns < end_ns) now_ns = base::now_ns();
    gaps_cpu_ns_ += others_.cpu_ns() - before_ns;
    gaps_ns_ += now_ns - begin_ns;
  }

  const loops& loops_;
  std::vector<std::uint64_t> loop_ns_;
  other_threads others_;
  std::uint64_t gaps_ns_ = 0;
  std::uint64_t gaps_cpu_ns_ = 0;
  std::uint64_t ran_ = 0;
};

std::string one_loop(const loops& l) {
  const std::uint64_t begin_ns = base::now_ns();
  l.run(l.size);
  return std::to_string(base::now_ns() - begin_ns);
}

std::string timed(const loops& l, std::uint64_t time_ns) {
  stretch now(l);
  now.run(warm_up_ns, warm_up_loops);
  now.run(time_ns, loops_min);
  return now.answer();
}

// The sleep is what is measured; the driver's next line cannot come before the answer.
std::string rested(const loops& l, std::uint64_t time_ns, std::uint64_t rest_ns) {
  stretch(l).run(time_ns, loops_min);
  static_cast<void>(other_threads().cpu_ns());
  const std::uint64_t before_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  poll(nullptr, 0, static_cast<int>(rest_ns / 1'000'000));
  return std::to_string(cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns);
}

std::string answer(const std::string& request, const std::vector<variant>& variants) {
  std::istringstream fields(request);
  std::string verb;
  std::size_t index = 0;
  std::size_t site = 0;
  loops l{};
  fields >> verb >> index >> site >> l.size.iterations >> l.size.units;
  if (!fields || index >= variants.size() || site > uforall::shared_site) {
    return "bad request: " + request;
  }
  std::uint64_t first_ns = 0;
  std::uint64_t second_ns = 0;
  fields >> first_ns >> second_ns;

  l.run = variants[index].at[site];
  std::string text = "bad request: " + request;
  variants[index].enter([&] {
    if (verb == "loop") text = one_loop(l);
    if (verb == "rest") text = rested(l, first_ns, second_ns);
    if (verb != "run") return;
    l.gap_ns = first_ns;
    text = timed(l, second_ns);
  });
  return text;
}

}  // namespace

void serve(const std::string& library, unsigned threads, const std::vector<variant>& variants) {
  std::cout << library << '\t' << threads;
  for (const variant& v : variants) std::cout << '\t' << v.schedule;
  std::cout << std::endl;
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << answer(request, variants) << std::endl;
  }
}

}  // namespace doall::bench
