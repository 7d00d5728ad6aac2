// Native loops, nested in whatever is around: every schedule, stopped, left by an exception,
// with a result, and for each domain.
#include <doall/doall.hpp>

#include <functional>
#include <optional>
#include <stdexcept>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

loop_options any_options(frame& f) {
  if (f.one_in(3)) return {};
  return schedule(schedules()[f.below(schedules().size())]);
}

u64 any_width(frame& f) {
  switch (f.below(6)) {
    case 0: return f.below(2);
    case 1: return f.below(200);
    default: return 1 + f.below(12);
  }
}

// Teams of another size for what is inside.
std::optional<std::int64_t> any_team(frame& f) {
  if (!f.one_in(3)) return {};
  return static_cast<std::int64_t>(1 + f.below(5));
}

void loop(frame f) {
  const loop_options options = any_options(f);
  const u64 n = any_width(f);
  const u64 seed = f.random.next();
  std::optional<thread_scope> team;
  if (const auto size = any_team(f)) team.emplace(*size);
  tally runs(n);
  parallel_for(
      u64{0}, n,
      [&](u64 i) {
        act(f.inner(seed + i, n));
        runs.ran(i);
      },
      options);
  runs.check_all("iterations of a loop");
}

void stopped_loop(frame f) {
  loop_options options = any_options(f);
  const u64 n = 1 + any_width(f);
  const u64 seed = f.random.next();
  const u64 last = f.below(2 * n);  // beyond the end: nobody stops it
  std::stop_source source;
  options.stop = source.get_token();
  tally runs(n);
  const loop_end end = parallel_for(
      u64{0}, n,
      [&](u64 i) {
        if (i == last) source.request_stop();
        act(f.inner(seed + i, n));
        runs.ran(i);
      },
      options);
  if (end == loop_end::completed) runs.check_all("iterations of a completed loop");
  if (last >= n) check(end == loop_end::completed, "a loop that nobody stopped");
}

void throwing_loop(frame f) {
  const loop_options options = any_options(f);
  const u64 n = 1 + any_width(f);
  const u64 seed = f.random.next();
  const u64 bad = f.below(n);
  tally runs(n);
  bool caught = false;
  try {
    parallel_for(
        u64{0}, n,
        [&](u64 i) {
          act(f.inner(seed + i, n));
          runs.ran(i);
          if (i == bad) throw std::runtime_error("doors");
        },
        options);
  } catch (const std::runtime_error&) {
    caught = true;
  }
  check(caught, "exceptions of a loop", 0, 1);
}

void reduction(frame f) {
  loop_options options = any_options(f);
  if (f.one_in(2)) options.order = reduce_order::any;
  const u64 n = any_width(f);
  const u64 seed = f.random.next();
  const u64 sum = parallel_reduce(
      u64{0}, n, u64{0},
      [&](u64 i) {
        act(f.inner(seed + i, n));
        return i + 1;
      },
      std::plus<>(), options);
  check(sum == n * (n + 1) / 2, "a sum", sum, n * (n + 1) / 2);
}

// Many small loops, as a program runs them in turn.
void small_loops(frame f) {
  const u64 times = 1 + f.below(40);
  const loop_options options = any_options(f);
  for (u64 t = 0; t < times; ++t) {
    moved();
    const u64 n = f.below(50);
    const u64 sum =
        parallel_reduce(u64{0}, n, u64{0}, [](u64 i) { return i; }, std::plus<>(), options);
    check(sum == n * (n - (n != 0 ? 1 : 0)) / 2, "a small sum", sum);
  }
}

void domains(frame f) {
  const u64 seed = f.random.next();
  std::atomic<std::uint32_t> ran{0};
  std::atomic<std::uint32_t> all{0};
  for_each_domain([&](std::uint32_t d, std::uint32_t n) {
    all.store(n, std::memory_order_relaxed);
    ran.fetch_add(1, std::memory_order_relaxed);
    act(f.inner(seed + d, n));
  });
  check(ran.load() == all.load(), "domains", ran.load(), all.load());
}

constexpr action actions[] = {
    {"loop", 12, loop},
    {"stopped_loop", 2, stopped_loop},
    {"throwing_loop", 2, throwing_loop},
    {"reduction", 3, reduction},
    {"small_loops", 2, small_loops},
    {"domains", 1, domains},
};

}  // namespace

std::span<const action> native_actions() { return actions; }

}  // namespace doall::doors
