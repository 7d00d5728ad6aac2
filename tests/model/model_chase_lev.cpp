// The general deque (src/deque/chase_lev.hpp): an owner that pushes and pops by a script, and
// two thieves. Every item is taken once, whole, and what its owner did before it
// pushed it is visible to who takes it; so is what any word that a thief is shown points to.
#include "deque/chase_lev.hpp"
#include "model_run.hpp"

namespace {

using namespace doall;

// Two words, so that a copy may be a mixture; each is a number of what it points to.
struct item {
  std::uint64_t left;
  std::uint64_t right;
};

// What the owner does, in this order; then it pops until nothing is left.
enum act : char { push = '+', pop = '-' };

template <std::size_t Size>
struct script {
  constexpr script(const char (&text)[Size]) {  // NOLINT: so that a suite's name is its script
    std::copy_n(text, Size, acts);
  }
  constexpr std::size_t pushes() const { return std::count(acts, acts + Size, push); }
  char acts[Size];
};

// Thieves make `Thefts` attempts each.
template <script Script, unsigned Thieves, unsigned Thefts, std::uint32_t Capacity = 2>
struct owner_and_thieves
    : rl::test_suite<owner_and_thieves<Script, Thieves, Thefts, Capacity>, 1 + Thieves> {
  using deque_type = deque::chase_lev<item, Capacity>;
  static constexpr std::size_t items = Script.pushes();

  deque_type subject;
  sync::plain<int> written[items];  // by the owner, before it pushes the item
  sync::plain<int> taken[items];

  void thread(unsigned index) {
    if (index == 0) {
      own();
    } else {
      for (unsigned i = 0; i < Thefts; ++i) steal_from();
    }
  }

  void after() {
    for (const auto& count : taken) RL_ASSERT(count.get() == 1);
  }

  void own() {
    typename deque_type::owner me(subject);
    item got{};
    std::size_t next = 0;
    for (const char what : Script.acts) {
      if (what == push) {
        written[next].set(1);
        const item made = {next, next};
        // Of a full deque the owner keeps the item.
        if (!me.push(made)) take(made);
        ++next;
      } else if (what == pop && me.pop(got)) {
        take(got);
      }
    }
    while (me.pop(got)) take(got);
    RL_ASSERT(me.is_empty());
  }

  void steal_from() {
    typename deque_type::thief me(subject);
    item got{};
    const auto wants = [this](const item& seen) {
      return written[seen.left].get() == 1 && written[seen.right].get() == 1;
    };
    const deque::theft how = me.steal(got, wants);
    RL_ASSERT(how != deque::theft::declined);
    if (how == deque::theft::done) take(got);
  }

  void take(const item& got) {
    RL_ASSERT(got.left == got.right);
    RL_ASSERT(written[got.left].get() == 1);
    taken[got.left].set(taken[got.left].get() + 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<owner_and_thieves<"+-", 2, 1>>("last_item");
  models.run<owner_and_thieves<"++-+-", 2, 1>>("reused_place");
  models.run<owner_and_thieves<"+++-++", 2, 2>>("wrap_around");
  models.run<owner_and_thieves<"++-+-++-", 2, 2, 4>>("four_places");
  models.search<owner_and_thieves<"++", 1, 2>>("two_items_preempted", 2);
  models.search<owner_and_thieves<"+", 2, 1>>("last_item_preempted", 2);
  return models.finish();
}
