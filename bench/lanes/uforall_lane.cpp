#include "lanes/uforall.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "base/clock.hpp"
#include "driver/statistics.hpp"
#include "lanes/server.hpp"

namespace doall::bench {
namespace {

using uforall::loop_size;
using uforall::shared_site;
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

// Throws unless all loops since the last call gave that.
void expect_sum(std::uint64_t expected) {
  if (uforall::take_sum() == expected) return;
  throw std::runtime_error("wrong: the loops do not add up to what their iterations give");
}

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

  // Mean, median, 99th percentile and longest of the loops; busy CPUs in the gaps.
  std::vector<double> answer() {
    const std::size_t n = loop_ns_.size();
    expect_sum(ran_ * uforall::expected_sum(loops_.size));
    std::ranges::sort(loop_ns_);
    const double sum_ns = std::accumulate(loop_ns_.begin(), loop_ns_.end(), 0.0);
    return {sum_ns / static_cast<double>(n), loop_ns_[n / 2], loop_ns_[n - 1 - n / 100],
            loop_ns_.back(),
            gaps_ns_ > 0 ? static_cast<double>(gaps_cpu_ns_) / static_cast<double>(gaps_ns_) : 0};
  }

 private:
  void one_loop() {
    const std::uint64_t begin_ns = base::now_ns();
    loops_.run(loops_.size);
    const std::uint64_t end_ns = base::now_ns();
    loop_ns_.push_back(static_cast<double>(end_ns - begin_ns));
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
  std::vector<double> loop_ns_;
  other_threads others_;
  std::uint64_t gaps_ns_ = 0;
  std::uint64_t gaps_cpu_ns_ = 0;
  std::uint64_t ran_ = 0;
};

double one_loop(const loops& l) {
  const std::uint64_t begin_ns = base::now_ns();
  l.run(l.size);
  return static_cast<double>(base::now_ns() - begin_ns);
}

std::vector<double> timed(const loops& l, std::uint64_t time_ns) {
  stretch now(l);
  now.run(warm_up_ns, warm_up_loops);
  now.run(time_ns, loops_min);
  return now.answer();
}

// The sleep is what is measured; the driver's next line cannot come before the answer.
double rested(const loops& l, std::uint64_t time_ns, std::uint64_t rest_ns) {
  stretch(l).run(time_ns, loops_min);
  static_cast<void>(other_threads().cpu_ns());
  const std::uint64_t before_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  poll(nullptr, 0, static_cast<int>(rest_ns / 1'000'000));
  return static_cast<double>(cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns);
}

// Of envelope.

// Long enough for every thread to be awake.
constexpr std::uint64_t wake_ns = 3'000'000;
// Its loops are large enough to be shared by any runtime: 82 us.
constexpr std::size_t waking_size = 13;
// Before a site is timed; the loops of some milliseconds warm up once.
constexpr std::uint64_t site_warm_up_ns = 300'000;
// Long against a reading of the clock, short against a time slice.
constexpr double batch_ns = 200'000;
constexpr double longest_batch_ns = 10 * batch_ns;
constexpr double long_loop_ns = 1'000'000;
constexpr std::size_t batches = 3;
// How often a shuffled pass has each T: for so long, but within bounds.
constexpr double share_ns = 2'000'000;
constexpr double repeats_min = 2;
constexpr double repeats_max = 200;

// The mean of the middle half: no more than a median does it notice a thread that was
// preempted, and it tells apart what a clock with steps of 10 ns does not.
double middle_mean(std::vector<double> values) {
  std::ranges::sort(values);
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  const std::vector<double> middle(values.begin() + quarter, values.end() - quarter);
  return std::accumulate(middle.begin(), middle.end(), 0.0) / static_cast<double>(middle.size());
}

// The loop with bodies twice as long.
loop_size doubled(const loop_size& s) { return {s.iterations, 2 * s.units}; }

// One visit of the driver's: loops that are timed, and what they must add up to.
class pass {
 public:
  pass(const variant& v, const std::vector<loop_size>& sizes,
       const std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& doubled_sums)
      : at_(v.at), sizes_(sizes), sums_(sums), doubled_sums_(doubled_sums) {
    uforall::take_sum();
  }

  std::vector<double> own_sites() {
    wake(waking_size);
    std::vector<double> loop_ns;
    for (std::size_t k = 0; k < sizes_.size(); ++k) loop_ns.push_back(own_site(k));
    return loop_ns;
  }

  // The same with bodies whose length doubles and halves from loop to loop.
  std::vector<double> swinging_sites() {
    swings_ = true;
    return own_sites();
  }

  std::vector<double> shuffled(std::uint64_t seed) {
    wake(shared_site);
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const double repeats = std::clamp(share_ns / uforall::serial_ns(k), repeats_min, repeats_max);
      order.insert(order.end(), static_cast<std::size_t>(repeats), k);
    }
    base::rng random(seed);
    shuffle(order, random);

    const double clock_ns = clock_cost_ns();
    std::vector<std::vector<double>> times_ns(sizes_.size());
    for (const std::size_t k : order) times_ns[k].push_back(run(shared_site, k, 1));
    std::vector<double> loop_ns;
    // Nothing is free, even if the clock was read faster than before.
    for (auto& times : times_ns) loop_ns.push_back(std::max(1.0, middle_mean(times) - clock_ns));
    return loop_ns;
  }

  void expect_sums() const { expect_sum(expected_); }

 private:
  // Nanoseconds of all these loops.
  double run(std::size_t site, std::size_t k, std::uint64_t loops) {
    if (swings_) return run_pairs(site, k, loops);
    expected_ += loops * sums_[k];
    const std::uint64_t begin_ns = base::now_ns();
    for (std::uint64_t l = 0; l < loops; ++l) at_[site](sizes_[k]);
    return static_cast<double>(base::now_ns() - begin_ns);
  }

  // So many pairs of a loop and one with bodies twice as long; half of the nanoseconds.
  double run_pairs(std::size_t site, std::size_t k, std::uint64_t pairs) {
    const loop_size twice = doubled(sizes_[k]);
    expected_ += pairs * (sums_[k] + doubled_sums_[k]);
    const std::uint64_t begin_ns = base::now_ns();
    for (std::uint64_t p = 0; p < pairs; ++p) {
      at_[site](sizes_[k]);
      at_[site](twice);
    }
    return static_cast<double>(base::now_ns() - begin_ns) / 2;
  }

  // What the last loop took.
  double repeat_for(std::uint64_t duration_ns, std::size_t site, std::size_t k) {
    const std::uint64_t begin_ns = base::now_ns();
    double loop_ns = 0;
    do {
      loop_ns = run(site, k, 1);
    } while (base::now_ns() - begin_ns < duration_ns);
    return loop_ns;
  }

  void wake(std::size_t site) { repeat_for(wake_ns, site, waking_size); }

  double own_site(std::size_t k) {
    const double loop_ns = repeat_for(site_warm_up_ns, k, k);
    const double pair = swings_ ? 2 : 1;
    const auto loops = static_cast<std::uint64_t>(std::max(1.0, batch_ns / (pair * loop_ns + 1)));
    std::vector<double> times_ns(loop_ns < long_loop_ns ? batches : 1);
    for (double& ns : times_ns) ns = batch_loop_ns(k, loops);
    return median_of(times_ns);
  }

  // A loop of a batch of so many. Beside other programs each may wait for a thread that has no CPU,
  // a time slice long: then the batch has fewer, or the driver would take the lane for hung.
  double batch_loop_ns(std::size_t k, std::uint64_t loops) {
    constexpr std::uint64_t looks_a_batch = 16;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, loops / looks_a_batch);
    double ns = 0;
    std::uint64_t ran = 0;
    for (; ran < loops && ns < longest_batch_ns; ran += at_once) ns += run(k, k, at_once);
    return ns / static_cast<double>(ran);
  }

  // Of reading the clock before and after nothing.
  static double clock_cost_ns() {
    std::vector<double> costs_ns(1000);
    for (double& ns : costs_ns) {
      const std::uint64_t begin_ns = base::now_ns();
      ns = static_cast<double>(base::now_ns() - begin_ns);
    }
    return middle_mean(costs_ns);
  }

  const uforall::sites_of& at_;
  const std::vector<loop_size>& sizes_;
  const std::vector<std::uint64_t>& sums_;
  const std::vector<std::uint64_t>& doubled_sums_;
  std::uint64_t expected_ = 0;
  bool swings_ = false;
};

// What the driver's last `time` asked of the loops of every T, which it asks of every schedule.
class sweep {
 public:
  std::vector<double> time(const variant& v, std::istream& words) {
    const std::string site = next_of(words);
    const auto seed = next_of<std::uint64_t>(words);
    const std::vector<std::uint64_t> units{std::istream_iterator<std::uint64_t>(words), {}};
    if (units.size() != uforall::sizes) {
      throw std::invalid_argument("bad request: as many UNITS as there are T");
    }
    take_sizes(units);
    pass now(v, sizes_, sums_, doubled_sums_);
    std::vector<double> loop_ns;
    v.enter([&] {
      if (site == "shuffled")
        loop_ns = now.shuffled(seed);
      else
        loop_ns = site == "swinging" ? now.swinging_sites() : now.own_sites();
    });
    now.expect_sums();
    return loop_ns;
  }

 private:
  void take_sizes(const std::vector<std::uint64_t>& units) {
    if (units == units_) return;
    units_ = units;
    sizes_.clear();
    sums_.clear();
    doubled_sums_.clear();
    for (std::size_t k = 0; k < units.size(); ++k) {
      sizes_.push_back({uforall::iterations(k), units[k]});
      sums_.push_back(uforall::expected_sum(sizes_.back()));
      doubled_sums_.push_back(uforall::expected_sum(doubled(sizes_.back())));
    }
  }

  std::vector<std::uint64_t> units_;
  std::vector<loop_size> sizes_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> doubled_sums_;  // of bodies twice as long
};

}  // namespace

void serve_uforall(const std::string& library, unsigned threads,
                   const std::vector<variant>& variants) {
  sweep all_sizes;
  const auto variant_of = [&](std::istream& words) -> const variant& {
    return named(variants, next_of(words), &variant::schedule);
  };
  // SCHEDULE SITE ITERATIONS UNITS, and then what `run(loops)` reads.
  const auto with_loops = [&](const auto& run) {
    return [&variant_of, run](std::istream& words) {
      const variant& v = variant_of(words);
      const auto site = std::min(next_of<std::size_t>(words), shared_site);
      loops l{.run = v.at[site]};
      l.size.iterations = next_of<std::int64_t>(words);
      l.size.units = next_of<std::uint64_t>(words);
      std::vector<double> found;
      v.enter([&] { found = run(l, words); });
      return in_a_line(found);
    };
  };
  lane l{.library = library, .threads = threads};
  for (const variant& v : variants) l.offers.push_back(v.schedule);
  l.verbs["time"] = [&](std::istream& words) {
    return in_a_line(all_sizes.time(variant_of(words), words));
  };
  l.verbs["loop"] =
      with_loops([](const loops& asked, std::istream&) { return std::vector{one_loop(asked)}; });
  l.verbs["run"] = with_loops([](loops& asked, std::istream& words) {
    asked.gap_ns = next_of<std::uint64_t>(words);
    return timed(asked, next_of<std::uint64_t>(words));
  });
  l.verbs["rest"] = with_loops([](const loops& asked, std::istream& words) {
    const auto time_ns = next_of<std::uint64_t>(words);
    return std::vector{rested(asked, time_ns, next_of<std::uint64_t>(words))};
  });
  serve(l);
}

}  // namespace doall::bench
