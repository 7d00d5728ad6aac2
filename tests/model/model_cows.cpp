// Schedules that count their thefts, COWS's three and static-steal: an owner with a reservation in
// flight, and thieves that steal from it and each other. Every iteration is dealt exactly once, and
// who is told that nothing is left finds no list of at least min, which is 1 for static-steal, in
// its own view of the words, whatever is in a thief's hand meanwhile (thefts.hpp).
#include <algorithm>
#include <array>

#include "barrier/full_barrier.hpp"
#include "model_run.hpp"
#include "schedule/auto.hpp"
#include "schedule/dispatch.hpp"
#include "schedule/static_steal.hpp"
#include "schedule/wsr.hpp"
#include "schedule/wsri.hpp"
#include "schedule/wsrw.hpp"

namespace {

using namespace doall::schedules;

struct scene {
  u64 iterations;
  params given = {};
  unsigned absent = 0;  // workers, the last ones, that never arrive
  u64 giant = 0;        // costs this many times what another iteration does
};

constexpr params cows_given(u64 c, u64 min, u64 assign = 0) {
  return params::of(cows_options{c, min, assign});
}

// How much a list must have to be stolen from, and what a worker's is at first.
template <class Schedule>
struct lists {
  static constexpr u64 least(const params& given) {
    const u64 min = given.as<cows_options>().min;
    return min == 0 ? 5 : std::max<u64>(min, 2);
  }
  static range first(const loop_context& loop, std::uint32_t w) {
    // Of the three, wsr alone never reads costs.
    return initial_lists(loop).of(w, std::is_same_v<Schedule, wsr> ? cost_sums() : loop.costs);
  }
};

template <class Schedule>
  requires(std::is_same_v<Schedule, static_steal> || std::is_same_v<Schedule, automatic>)
struct lists<Schedule> {
  static constexpr u64 least(const params&) { return 1; }
  static range first(const loop_context& loop, std::uint32_t w) {
    return partition_of(w, loop.shape);
  }
};

// Two loops one after the other; the second finds the lines as the first has left them.
template <class Schedule, unsigned Workers, scene Scene>
struct dealt : rl::test_suite<dealt<Schedule, Workers, Scene>, Workers> {
  static constexpr int loops = 2;
  static constexpr unsigned present = Workers - Scene.absent;
  static constexpr u64 giant_cost = 100;
  static constexpr loop_shape shape{Scene.iterations, Workers};
  static constexpr u64 least = lists<Schedule>::least(Scene.given);

  std::array<u64, Scene.iterations + 1> sums = running_sums();
  std::array<u64, Scene.iterations + 2 * Workers> by_owner = summed_up();
  worker_line lines[Workers];
  Schedule schedule[loops] = {Schedule(context(1)), Schedule(context(2))};
  doall::sync::plain<int> runs[loops][Scene.iterations];
  doall::barrier::full_barrier barrier;

  static std::array<u64, Scene.iterations + 1> running_sums() {
    std::array<u64, Scene.iterations + 1> all{};
    for (u64 i = 0; i < Scene.iterations; ++i) {
      all[i + 1] = all[i] + (i == Scene.giant ? giant_cost : 1);
    }
    return all;
  }

  std::array<u64, Scene.iterations + 2 * Workers> summed_up() const {
    std::array<u64, Scene.iterations + 2 * Workers> all{};
    const cyclic_lists lists(shape, Scene.given);
    RL_ASSERT(costs_by_owner::entries(lists) <= all.size());
    costs_by_owner::sum_up({sums.data(), Scene.iterations}, lists, all.data());
    return all;
  }

  loop_context context(u64 epoch) {
    return {.shape = shape,
            .given = Scene.given,
            .lines = lines,
            .epoch = epoch,
            .costs = cost_sums(sums.data(), Scene.iterations).with(by_owner.data())};
  }

  void thread(unsigned index) {
    if (index >= present) return;
    for (int l = 0; l < loops; ++l) {
      run(schedule[l], runs[l], index);
      expect_nothing_to_steal(1 + l);
      barrier.arrive(present, 0);
      u64 undone = 0;  // the absent workers' alone
      for (const auto& count : runs[l]) {
        RL_ASSERT(count.get() <= 1);
        if (count.get() == 0) ++undone;
      }
      RL_ASSERT(undone <= Scene.absent * (least - 1));
    }
  }

  // As a door asks.
  static void run(Schedule& s, doall::sync::plain<int> (&count)[Scene.iterations], unsigned index) {
    range_walk walk{.object = &s,
                    .me = {index, 0},
                    .source = {.last = Scene.iterations},
                    .iterations = Scene.iterations,
                    .otherwise = [](range_walk&, u64*, u64*) { return false; }};
    for (;;) {
      chunk c{};
      const bool is_ordinary = next_range_of<Schedule>(walk, &c.begin, &c.end);
      if (!is_ordinary) c = walk.rest;
      if (c.empty()) return;
      RL_ASSERT(c.end <= Scene.iterations);
      for (u64 i = c.begin; i < c.end; i += c.step) count[i].set(count[i].get() + 1);
    }
  }

  void expect_nothing_to_steal(u64 epoch) {
    for (std::uint32_t w = 0; w < Workers; ++w) {
      if (lists<Schedule>::first(context(epoch), w).size() < least) continue;
      RL_ASSERT(lines[w].touch.look(epoch) == doall::base::first_touch::state::ready);
      RL_ASSERT(stealable_run(lines[w].word[0]).look().size() < least);
    }
  }
};

// Workers 0 and 1 have run their lists; the last has a chunk in hand and a list that begins with a
// giant, so a thief gets all but that, and nobody but the thief has them until it has put them
// down.
template <class Schedule, bool owner_goes_on, u64 Iterations>
struct two_thieves : rl::test_suite<two_thieves<Schedule, owner_goes_on, Iterations>, 3> {
  using here = dealt<Schedule, 3, scene{Iterations, cows_given(1, 1, block_by_block), 0, 5}>;
  static constexpr std::uint32_t owner = 2;

  here loop;

  void before() {
    const initial_lists lists(loop.context(1));
    for (std::uint32_t w = 0; w < owner; ++w) {
      for (u64 x = lists.of(w).size(); x > 0; --x) ask(w);
    }
    ask(owner);
  }

  void thread(unsigned index) {
    if (index == owner && !owner_goes_on) return;
    here::run(loop.schedule[0], loop.runs[0], index);
    loop.expect_nothing_to_steal(1);
  }

  void after() {
    u64 undone = 0;
    for (const auto& count : loop.runs[0]) {
      RL_ASSERT(count.get() <= 1);
      if (count.get() == 0) ++undone;
    }
    RL_ASSERT(undone <= (owner_goes_on ? 0 : here::least - 1));
  }

 private:
  void ask(std::uint32_t w) {
    const chunk c = loop.schedule[0].next({w, 0}, {});
    RL_ASSERT(c.size() == 1 && c.from == origin::own);
    loop.runs[0][c.begin].set(1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<two_thieves<wsrw, false, 18>>("wsrw_two_thieves");
  models.run<two_thieves<wsrw, true, 18>>("wsrw_two_thieves_and_owner");
  models.run<dealt<wsrw, 3, scene{12, cows_given(1, 1), 1, 2}>>("wsrw_3_one_absent");
  models.run<dealt<wsri, 2, scene{8, cows_given(1, 1, block_by_block)}>>("wsri_2");
  models.run<dealt<wsri, 2, scene{10, cows_given(2, 3, block_by_block)}>>("wsri_2_c_2_min_3");
  // A thief may leave one of two that the owner has planned to take.
  models.run<dealt<wsri, 2, scene{12, cows_given(2, 1, block_by_block)}>>("wsri_2_c_2");
  // Or none: the last of a list is stolen if it is a giant.
  models.run<dealt<wsri, 2, scene{12, cows_given(1, 0, block_by_block), 0, 5}>>("wsri_2_dear");
  models.run<dealt<wsri, 3, scene{9, cows_given(1, 1, one_by_one)}>>("wsri_3");
  models.run<dealt<wsr, 3, scene{9, cows_given(1, 1, one_by_one)}>>("wsr_3");
  models.run<dealt<wsrw, 3, scene{9, cows_given(1, 1), 0, 3}>>("wsrw_3");
  models.run<dealt<wsrw, 3, scene{12, cows_given(2, 1, in_blocks), 0, 0}>>("wsrw_3_block");
  // Blocks of 2, of which a thief may be left with one and a half.
  models.run<dealt<wsrw, 2, scene{12, cows_given(2, 1, block_by_block), 0, 5}>>("wsrw_2_blocks");
  // With a c of its own, 2 here, of which a reservation with the giant in it is no more than one.
  models.run<dealt<wsrw, 2, scene{16, cows_given(0, 1), 0, 3}>>("wsrw_2_own_c");
  models.run<dealt<static_steal, 2, scene{7, params::of_first(1)}>>("static_steal_2");
  models.run<dealt<static_steal, 3, scene{7, params::of_first(1)}>>("static_steal_3");
  models.run<dealt<static_steal, 3, scene{6, params::of_first(1), 1}>>("static_steal_3_one_absent");
  models.run<dealt<automatic, 2, scene{7}>>("auto_2");
  models.run<dealt<automatic, 3, scene{7}>>("auto_3");
  models.run<dealt<automatic, 3, scene{6, {}, 1}>>("auto_3_one_absent");
  return models.finish();
}
