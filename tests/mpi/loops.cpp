// Every iteration runs once, on one rank: under every schedule that is admitted, between and inside
// ranks, for random lengths, with ranks that come late, and for loops of up to 2^63 iterations;
// whether all ranks are on one node, or two, or each on one of its own.
#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "ranks.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"

namespace doall::tests {
namespace {

bool deals(const schedules::entry& e) { return !e.has(schedules::splitting); }

std::string any_dealing(base::rng& random) {
  const auto& all = schedules::registry();
  for (;;) {
    const schedules::entry& e = all[random.below(all.size())];
    if (deals(e)) return std::string(e.name) + (random.below(4) == 0 ? ",order=reverse" : "");
  }
}

void expect_once(std::vector<unsigned char>& ran, const std::string& what, int rank) {
  MPI_Allreduce(MPI_IN_PLACE, ran.data(), static_cast<int>(ran.size()), MPI_UNSIGNED_CHAR, MPI_SUM,
                MPI_COMM_WORLD);
  const auto wrong = std::ranges::find_if(ran, [](unsigned char times) { return times != 1; });
  if (wrong == ran.end()) return;
  check(false,
        what + ": iteration " + std::to_string(wrong - ran.begin()) + " ran " +
            std::to_string(*wrong) + " times",
        rank);
}

void run_case(mpi::world& w, base::rng& random) {
  const std::uint32_t threads = 1 + static_cast<std::uint32_t>(random.below(3));
  const thread_scope scope(threads);
  for (const schedules::entry& e : schedules::registry()) {
    if (!deals(e)) continue;
    const std::string between =
        std::string(e.name) + (random.below(4) == 0 ? ",order=reverse" : "");
    const std::string inside = random.below(2) == 0 ? any_dealing(random) : "";
    const u64 n = random.below(8) == 0 ? random.below(3) : random.below(2000);
    const u64 late_ns = random.below(4) == 0 ? random.below(3'000'000) : 0;
    const auto late = static_cast<int>(random.below(static_cast<u64>(w.size())));
    const u64 longest_ns = random.below(3) * 2'000;
    const bool costed = random.below(2) == 0;
    const auto degree = [](auto i) { return static_cast<u64>(i) % 5; };
    const mpi::loop_options options{
        .between = between,
        .inside = inside.empty() ? mpi::named_schedule() : mpi::named_schedule(inside),
        .costs = costed ? cost(degree) : loop_costs()};
    const std::string what = between + " between " + std::to_string(w.size()) + " ranks, \"" +
                             inside + "\" inside of " + std::to_string(threads) + " threads, " +
                             std::to_string(n) + " iterations";
    if (w.rank() == late) compute_for(late_ns);
    std::vector<unsigned char> ran(n);
    const auto end = random.below(2) == 0
                         ? mpi::parallel_for(
                               w, std::int64_t{-7}, static_cast<std::int64_t>(n) - 7,
                               [&](std::int64_t i) {
                                 ++ran[static_cast<u64>(i + 7)];
                                 if (longest_ns != 0)
                                   compute_for(static_cast<u64>(i + 7) % longest_ns);
                               },
                               options)
                         : mpi::parallel_for(
                               w, u64{0}, n,
                               [&](range<u64> part) {
                                 for (const u64 i : part) ++ran[i];
                               },
                               options);
    check(end == loop_end::completed && w.stopped_by() == -1, what + ": not completed", w.rank());
    expect_once(ran, what, w.rank());
  }
}

// Loops too long to count: all ranges of all ranks, side by side.
void run_long_loop(mpi::world& w, const char* between) {
  constexpr u64 n = u64{1} << 63;
  std::vector<u64> ranges;
  std::mutex mutex;
  mpi::parallel_for(w, u64{0}, n,
                    [&](range<u64> part) {
                      const std::lock_guard lock(mutex);
                      ranges.push_back(part.first());
                      ranges.push_back(part.last());
                    },
                    {.between = between});
  auto count = static_cast<int>(ranges.size());
  std::vector<int> counts(static_cast<std::size_t>(w.size()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<u64> all(static_cast<std::size_t>(begins.back() + counts.back()));
  MPI_Allgatherv(ranges.data(), count, MPI_UINT64_T, all.data(), counts.data(), begins.data(),
                 MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<std::pair<u64, u64>> sorted;
  for (std::size_t i = 0; i < all.size(); i += 2) sorted.emplace_back(all[i], all[i + 1]);
  std::ranges::sort(sorted);
  u64 at = 0;
  bool whole = true;
  for (const auto& [first, last] : sorted) {
    whole = whole && first == at && last > first;
    at = last;
  }
  check(whole && at == n, std::string("2^63 iterations between=") + between, w.rank());
}

void run_long_loops(mpi::world& w) {
  run_long_loop(w, "guided");
  run_long_loop(w, "dynamic,1000000000000000000");
}

// The blocks of share() are those that the default schedule runs, and lie side by side.
void run_shares(mpi::world& w) {
  for (const u64 n : {u64{0}, u64{1}, u64{10}, u64{1000}, u64{1} << 63}) {
    const range<u64> mine = mpi::share(w, n);
    bool same = true;
    mpi::parallel_for(w, u64{0}, n, [&](range<u64> part) {
      if (part.first() < mine.first() || part.last() > mine.last()) same = false;
    });
    u64 sizes = mine.size();
    MPI_Allreduce(MPI_IN_PLACE, &sizes, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    check(same && sizes == n, "share of " + std::to_string(n), w.rank());
  }
  // Equal cost, not equal length: the first of 100 costs as much as the others together.
  const auto first_is_long = cost([](auto i) { return i == 0 ? 99 : 1; });
  const range<u64> mine = mpi::share(w, 100, first_is_long);
  if (w.size() > 1 && w.rank() == 0) check(mine.size() == 1, "share by costs", 0);
  std::vector<unsigned char> ran(100);
  mpi::parallel_for(w, 0, 100, [&](int i) { ++ran[static_cast<std::size_t>(i)]; },
                    {.costs = first_is_long});
  for (u64 i = mine.first(); i < mine.last(); ++i) check(ran[i] == 1, "owner computes", w.rank());
  expect_once(ran, "by costs", w.rank());
}

void run_elements(mpi::world& w) {
  const range<u64> mine = mpi::share(w, 1000);
  std::vector<u64> block(mine.size());
  std::iota(block.begin(), block.end(), mine.first());
  mpi::parallel_for_each(w, block, [](u64& element) { element *= 3; });
  for (u64 i = 0; i < block.size(); ++i) {
    check(block[i] == 3 * (mine.first() + i), "parallel_for_each", w.rank());
  }
}

}  // namespace
}  // namespace doall::tests

int main(int argc, char** argv) {
  using namespace doall::tests;
  mpi_program program(argc, argv);
  {
    doall::mpi::world w(MPI_COMM_WORLD);
    run_shares(w);
    run_elements(w);
  }
  in_worlds([&](doall::mpi::world& w) {
    program.for_each_case([&](doall::base::rng& random) { run_case(w, random); });
    run_long_loops(w);
  });
  return program.finish();
}
