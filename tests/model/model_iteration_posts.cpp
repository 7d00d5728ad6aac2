// Iterations that wait for earlier ones (src/omp/iteration_posts.hpp): each sees what those did
// that it waits for; nobody waits for ever, also when the loop is given up.
#include "model_run.hpp"
#include "omp/iteration_posts.hpp"

namespace {

using namespace doall;

enum class door { counts, bits };

// Iteration i waits for i - 2 and, unless they go on side by side, for i - 1. Thread t has the
// iterations t, t + Threads, ...
template <door How, unsigned Threads, bool SideBySide = false>
struct chain : rl::test_suite<chain<How, Threads, SideBySide>, Threads> {
  static constexpr unsigned iterations = 4;

  sync::atomic<std::uint64_t> words[iterations];
  sync::atomic<std::uint64_t> awaited;
  const omp::iteration_posts<std::uint64_t> posted{words, &awaited};
  park::gate turn;
  sync::plain<unsigned> sums[iterations];

  static unsigned word_of(unsigned i) { return How == door::counts ? i : 0; }
  void post(unsigned i) {
    if (How == door::counts) {
      posted.post_count(word_of(i), 1, turn);
    } else {
      posted.post_bit(word_of(i), 1ULL << i, turn);
    }
  }
  unsigned sum_after(unsigned i) {
    const auto has_posted = [&](std::uint64_t word) {
      return How == door::counts ? word > 0 : (word >> i & 1) != 0;
    };
    posted.await(word_of(i), has_posted, turn, 0, [] { return false; });
    return sums[i].get();
  }

  void thread(unsigned index) {
    for (unsigned i = index; i < iterations; i += Threads) {
      unsigned sum = 1;
      for (unsigned back = SideBySide ? 2 : 1; back <= 2 && back <= i; ++back)
        sum += sum_after(i - back);
      sums[i].set(sum);
      post(i);
    }
  }

  void after() {
    const unsigned all[iterations] = {1, 2, 4, 7};
    const unsigned every_other[iterations] = {1, 1, 2, 2};
    for (unsigned i = 0; i < iterations; ++i) {
      RL_ASSERT(sums[i].get() == (SideBySide ? every_other : all)[i]);
    }
  }
};

// The thread that has the sink cancels the region instead.
struct given_up : rl::test_suite<given_up, 2> {
  sync::atomic<std::uint64_t> word;
  sync::atomic<std::uint64_t> awaited;
  const omp::iteration_posts<std::uint64_t> posted{&word, &awaited};
  park::gate turn;
  sync::atomic<bool> is_cancelled{false};

  void thread(unsigned index) {
    if (index == 0) {
      is_cancelled.store(true);
      turn.open();
    } else {
      posted.await(
          0, [](std::uint64_t word) { return word > 0; }, turn, 0,
          [&] { return is_cancelled.load(); });
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<chain<door::counts, 2>>("counts_2");
  models.run<chain<door::counts, 3>>("counts_3");
  models.run<chain<door::bits, 2>>("bits_2");
  models.run<chain<door::bits, 3>>("bits_3");
  models.run<chain<door::bits, 2, true>>("bits_side_by_side");
  models.run<given_up>("given_up");
  return models.finish();
}
