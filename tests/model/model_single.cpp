// LBS's deque (src/deque/single.hpp): an owner that runs a loop as lbs does, and two thieves.
// Every iteration is run once, by the owner, or by the thief that took it. The
// fork and the join of the loop order the rest, here Relacy's start and end of threads.
#include "deque/single.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;
using deque::single;
using run = single::run;

// How an owner gets on with what it has pushed.
enum class way {
  parts,         // pop_part(1) until nothing is left: pop-half of two
  whole,         // pop
  pushed_again,  // pop, and push the same run again: the word comes back
};

template <std::uint32_t Iterations, way Way, unsigned Thieves>
struct owner_and_thieves
    : rl::test_suite<owner_and_thieves<Iterations, Way, Thieves>, 1 + Thieves> {
  single::word word{0};
  sync::plain<int> runs[Iterations];

  void thread(unsigned index) {
    if (index == 0) {
      own();
    } else {
      steal_from();
      steal_from();
    }
  }

  void after() {
    RL_ASSERT(single::owner(word).is_empty());
    for (const auto& count : runs) RL_ASSERT(count.get() == 1);
  }

  void execute(run what) {
    for (std::uint32_t i = what.first; i != what.end; ++i) runs[i].set(runs[i].get() + 1);
  }

  void own() {
    single::owner me(word);
    constexpr std::uint32_t half = (Iterations + 1) / 2;
    RL_ASSERT(me.is_empty());
    me.push({half, Iterations});
    run mine = {0, half};
    while (!mine.empty()) {
      // Lazily split: half of what is in hand goes where thieves find it, if nothing is there.
      if (mine.size() > 1 && me.is_empty()) {
        const std::uint32_t middle = mine.first + mine.size() / 2;
        me.push({middle, mine.end});
        mine.end = middle;
      }
      execute({mine.first, mine.first + 1});
      ++mine.first;
      if (mine.empty()) mine = take_back(me);
    }
  }

  run take_back(single::owner me) {
    if (Way == way::parts) return me.pop_part(1);
    const run mine = me.pop();
    if (Way == way::whole || mine.empty()) return mine;
    me.push(mine);
    return me.pop();
  }

  void steal_from() {
    run taken;
    single::thief me(word);
    const deque::theft how = me.steal(taken);
    RL_ASSERT(how != deque::theft::declined);
    RL_ASSERT((how == deque::theft::done) == !taken.empty());
    execute(taken);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<owner_and_thieves<4, way::parts, 2>>("parts");
  models.run<owner_and_thieves<4, way::whole, 2>>("whole");
  models.run<owner_and_thieves<4, way::pushed_again, 2>>("pushed_again");
  models.run<owner_and_thieves<6, way::parts, 2>>("parts_of_six");
  models.search<owner_and_thieves<2, way::parts, 1>>("one_thief_all");
  models.search<owner_and_thieves<2, way::parts, 2>>("two_thieves_preempted", 3);
  return models.finish();
}
