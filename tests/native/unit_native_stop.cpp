// Stop tokens, counted: once a stop is requested, a loop over indices begins no further
// iteration, and a loop over ranges no further range, on any worker, under any schedule.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <list>
#include <stop_token>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

using doall::loop_end;

constexpr int stopped_length = 60;
constexpr std::array team_sizes = {1, 2, 4};

// A body that requests a stop in what begins as number `at`, and counts what begins,
// and what begins when the stop is known to everybody.
class stopper {
 public:
  explicit stopper(int at) : at_(at) {}

  void begin() {
    if (requested_) ++late_;
    if (begun_++ != at_) return;
    source_.request_stop();
    requested_ = true;
  }
  std::stop_token token() const { return source_.get_token(); }
  int begun() const { return begun_; }
  int late() const { return late_; }

 private:
  int at_;
  std::stop_source source_;
  std::atomic<bool> requested_{false};
  std::atomic<int> begun_{0};
  std::atomic<int> late_{0};
};

// visit(how, team, at) for stops in the first iteration, the last and some between.
template <class Visit>
void for_every_stop(Visit visit) {
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    for (const std::string& text : doall::tests::every_schedule_text()) {
      SCOPED_TRACE(text + " on " + std::to_string(team) + " workers");
      const doall::schedule how(text);
      for (const int at : {0, 1, 2, 17, stopped_length / 2, stopped_length - 2, stopped_length - 1})
        visit(how, team, at);
    }
  }
}

// Another worker may have asked the token just before, and begin one iteration.
void expect_prompt(const stopper& stop, int team, loop_end end) {
  EXPECT_GT(stop.begun(), 0);
  EXPECT_LE(stop.late(), team - 1);
  EXPECT_EQ(end, stop.begun() == stopped_length ? loop_end::completed : loop_end::stopped);
}

TEST(StopTokens, EndALoopAfterTheIterationsInHand) {
  for_every_stop([](const doall::schedule& how, int team, int at) {
    stopper stop(at);
    const loop_end end = doall::parallel_for(0, stopped_length, [&](int) { stop.begin(); },
                                             {.how = how, .stop = stop.token()});
    expect_prompt(stop, team, end);
  });
}

TEST(StopTokens, EndALoopWithAStepAfterTheIterationsInHand) {
  for_every_stop([](const doall::schedule& how, int team, int at) {
    stopper stop(at);
    const loop_end end = doall::parallel_for(0, 7 * stopped_length, 7, [&](int) { stop.begin(); },
                                             {.how = how, .stop = stop.token()});
    expect_prompt(stop, team, end);
  });
}

TEST(StopTokens, EndALoopOverAnyRangeAfterTheElementsInHand) {
  const std::vector<int> indexed(stopped_length);
  const std::list<int> walked(stopped_length);
  for_every_stop([&](const doall::schedule& how, int team, int at) {
    const auto expect_prompt_over = [&](const auto& range) {
      stopper stop(at);
      const loop_end end = doall::parallel_for_each(range, [&](int) { stop.begin(); },
                                                    {.how = how, .stop = stop.token()});
      expect_prompt(stop, team, end);
    };
    expect_prompt_over(indexed);
    expect_prompt_over(walked);
  });
}

TEST(StopTokens, EndAReductionAfterTheIterationsInHand) {
  for_every_stop([](const doall::schedule& how, int team, int at) {
    stopper stop(at);
    const auto count = [&](int) {
      stop.begin();
      return 1;
    };
    bool stopped = false;
    try {
      EXPECT_EQ(doall::parallel_reduce(0, stopped_length, 0, count, std::plus<>{},
                                       {.how = how, .stop = stop.token()}),
                stopped_length);
    } catch (const doall::stopped&) {
      stopped = true;
    }
    expect_prompt(stop, team, stopped ? loop_end::stopped : loop_end::completed);
  });
}

TEST(StopTokens, EndALoopOverRangesAfterTheRangesInHand) {
  for_every_stop([](const doall::schedule& how, int team, int at) {
    stopper stop(at);
    std::atomic<int> iterations{0};
    const loop_end end = doall::parallel_for(0, stopped_length,
                                             [&](doall::range<int> r) {
                                               stop.begin();
                                               iterations += static_cast<int>(r.size());
                                             },
                                             {.how = how, .stop = stop.token()});
    EXPECT_LE(stop.late(), team - 1);
    EXPECT_EQ(end, iterations == stopped_length ? loop_end::completed : loop_end::stopped);
  });
}

TEST(StopTokens, RequestedBeforeLetNothingBegin) {
  std::stop_source source;
  source.request_stop();
  for_every_stop([&](const doall::schedule& how, int, int) {
    bool begun = false;
    const loop_end end = doall::parallel_for(0, stopped_length, [&](int) { begun = true; },
                                             {.how = how, .stop = source.get_token()});
    EXPECT_FALSE(begun);
    EXPECT_EQ(end, loop_end::stopped);
  });
}

// However much a worker is dealt at once: each looks at 1,024 elements between two questions.
TEST(StopTokens, EndASearchAfterTheElementsInHand) {
  constexpr int elements = 200'000;
  const std::vector<int> all(elements, 1);
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    for (const char* text : {"static", "dynamic,50000", "auto"}) {
      stopper stop(0);
      const doall::loop_options options{.how = doall::schedule(text), .stop = stop.token()};
      const auto look = [&](int i) {
        stop.begin();
        return i == 2;
      };
      EXPECT_THROW(doall::parallel_find_if(all, look, options), doall::stopped) << text;
      EXPECT_LE(stop.late(), 1024 * team) << text;
    }
  }
}

TEST(StopTokens, EndAPackAfterTheElementsInHand) {
  constexpr int elements = 200'000;
  const std::vector<int> all(elements, 1);
  std::vector<int> packed(elements);
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    stopper stop(0);
    const auto fits = [&](int) {
      stop.begin();
      return true;
    };
    EXPECT_THROW(doall::parallel_pack(all, packed.begin(), fits, {.stop = stop.token()}),
                 doall::stopped);
    EXPECT_LE(stop.late(), team - 1);
  }
}

TEST(StopTokens, LeaveTheTeamUsable) {
  for_every_stop([](const doall::schedule& how, int, int at) {
    stopper stop(at);
    doall::parallel_for(0, stopped_length, [&](int) { stop.begin(); },
                        {.how = how, .stop = stop.token()});
    std::atomic<int> after{0};
    doall::parallel_for(0, stopped_length, [&](int) { ++after; }, how);
    EXPECT_EQ(after, stopped_length);
  });
}

}  // namespace
