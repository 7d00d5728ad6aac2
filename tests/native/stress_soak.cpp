// Very many loops of changing length, team size and schedule, each checked by a sum.
// As long as DOALL_TEST_SECONDS (4 when unset, times DOALL_TEST_LONG) or DOALL_TEST_LOOPS loops
// say, whichever ends first; the full soak is
//
//   DOALL_TEST_LOOPS=10000000 DOALL_TEST_SECONDS=100000 build/tests/native_stress
//   --file=stress_soak
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace {

constexpr std::uint32_t most_workers = 5;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr ? std::strtoull(given, nullptr, 10) : otherwise;
}

// Plain, a line for each worker: release and join must order it.
struct alignas(doall::base::apart_bytes) partial {
  std::uint64_t sum = 0;
};
using partials = std::array<partial, most_workers>;

int add_up(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
           std::uint32_t worker) {
  auto& mine = static_cast<partials*>(context)->at(worker);
  for (std::uint64_t i = begin; i < end; i += step) mine.sum += i + 1;
  return 0;
}

TEST(Soak, OfLoopsOfChangingSizeTeamAndSchedule) {
  const auto end =
      std::chrono::steady_clock::now() +
      std::chrono::seconds(setting("DOALL_TEST_SECONDS", 4 * doall::tests::times_longer()));
  const std::uint64_t loops = setting("DOALL_TEST_LOOPS", 10'000'000);
  const auto schedules = doall::tests::every_schedule();
  doall::base::rng random(setting("DOALL_TEST_SEED", 1));
  std::uint64_t run = 0;
  for (; run < loops; ++run) {
    if (run % 64 == 0 && std::chrono::steady_clock::now() >= end) break;
    const std::uint64_t size = random.below(300);
    partials parts{};
    doall_loop loop{};
    loop.size = sizeof loop;
    loop.iterations = size;
    loop.body = add_up;
    loop.context = &parts;
    loop.schedule = schedules[random.below(schedules.size())].raw();
    const doall::thread_scope team(static_cast<std::int64_t>(1 + random.below(most_workers)));
    ASSERT_EQ(doall_run(&loop), 0);
    std::uint64_t sum = 0;
    for (const partial& part : parts) sum += part.sum;
    ASSERT_EQ(sum, size * (size + 1) / 2) << "loop " << run << " of " << size << " iterations";
  }
  RecordProperty("loops", static_cast<int>(run));
  EXPECT_GT(run, 0U);
}

}  // namespace
