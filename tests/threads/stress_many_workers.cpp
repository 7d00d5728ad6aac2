// Teams of up to 64 workers on whatever cores there are: under every schedule each
// iteration runs once, and what workers leave to the caller adds up.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "base/cache_line.hpp"
#include "support/every_schedule.hpp"
#include "support/file_environment.hpp"

namespace {

// Before the library reads it: teams may be larger than the machine.
const doall::tests::file_environment oversubscribed(__FILE__, "DOALL_OVERSUBSCRIBE", "true");

constexpr std::array team_sizes = {1U, 2U, 3U, 7U, 8U, 15U, 16U, 17U, 31U, 32U, 33U, 48U, 63U, 64U};

// Plain, a line for each worker: release and join must order it.
struct alignas(doall::base::apart_bytes) partial {
  std::uint64_t sum = 0;
  std::uint64_t iterations = 0;
};

int add_up(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
           std::uint32_t worker) {
  partial& mine = static_cast<std::vector<partial>*>(context)->at(worker);
  for (std::uint64_t i = begin; i < end; i += step) {
    mine.sum += i * i + 1;
    mine.iterations += 1;
  }
  return 0;
}

class ManyWorkers : public testing::TestWithParam<std::uint32_t> {
 protected:
  const doall::thread_scope team_{GetParam()};
};

TEST_P(ManyWorkers, AddUpUnderEverySchedule) {
  for (const std::string& text : doall::tests::every_schedule_text()) {
    const doall::schedule how(text);
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{GetParam()}, std::uint64_t{1000}}) {
      std::vector<partial> parts(GetParam());
      doall_loop loop{};
      loop.size = sizeof loop;
      loop.iterations = n;
      loop.body = add_up;
      loop.context = &parts;
      loop.schedule = how.raw();
      ASSERT_EQ(doall_run(&loop), 0);
      const partial all = std::accumulate(
          parts.begin(), parts.end(), partial{}, [](const partial& a, const partial& b) {
            return partial{a.sum + b.sum, a.iterations + b.iterations};
          });
      ASSERT_EQ(all.iterations, n) << text;
      ASSERT_EQ(all.sum, (n - 1) * n * (2 * n - 1) / 6 + n) << text;
    }
  }
}

TEST_P(ManyWorkers, ReduceToTheSameBits) {
  const auto harmonic = [](int i) { return 1.0 / (1 + i); };
  const auto plus = [](double a, double b) { return a + b; };
  const auto reduced = [&](const doall::schedule& how) {
    return doall::parallel_reduce(0, 5000, 0.0, harmonic, plus, how);
  };
  const double alone = [&] {
    const doall::thread_scope one(1);
    return reduced({});
  }();
  for (const doall::schedule& how : doall::tests::every_schedule()) ASSERT_EQ(reduced(how), alone);
}

INSTANTIATE_TEST_SUITE_P(Teams, ManyWorkers, testing::ValuesIn(team_sizes),
                         testing::PrintToStringParamName());

}  // namespace
