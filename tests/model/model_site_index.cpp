// The table of sites (src/sites/site_index.hpp): whoever asks for a key gets the one site of that
// key, whole, while others add sites and the table grows under those who look; also by its number,
// and when all sites are made.
#include "model_run.hpp"
#include "sites/site_index.hpp"

// Relacy has replaced the others.
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete[](memory); }

namespace {

using namespace doall;

struct place {
  using key_type = unsigned;
  static std::uint64_t hash_of(unsigned key) { return std::uint64_t{key} << 62; }

  void become(unsigned key, std::uint32_t number) {
    key_.set(key);
    number_.set(number);
  }
  bool is_of(unsigned key) const { return key_.get() == key; }
  unsigned key() const { return key_.get(); }
  std::uint32_t number() const { return number_.get(); }

  sync::plain<unsigned> key_;
  sync::plain<std::uint32_t> number_;
};

struct mutex {
  rl::mutex raw;
  void lock() { raw.lock(sync::place()); }
  void unlock() { raw.unlock(sync::place()); }
};

// The hashes of keys 1 and 5 are the same.
template <std::uint32_t Most, unsigned Threads>
struct lookers : rl::test_suite<lookers<Most, Threads>, Threads> {
  // One slot bit at first: the second site makes it grow, and the third again.
  team::site_index<place, Most, 2, 1> index;
  mutex adding;
  sync::atomic<place*> found[6];
  sync::atomic<int> missed[6];

  place* ask(unsigned key) {
    const std::uint64_t hash = place::hash_of(key);
    place* const there = index.find(key, hash);
    return there != nullptr ? there : index.find_or_add(key, hash, adding);
  }

  void check(unsigned key) {
    place* const mine = ask(key);
    if (mine == nullptr) {
      // (2) relaxed; alone: read after all
      missed[key].store(1, sync::relaxed);
      return;
    }
    RL_ASSERT(mine->is_of(key));
    // Its number may be announced a little later.
    const place* const numbered = index.numbered(mine->number());
    RL_ASSERT(numbered == nullptr || numbered == mine);
    place* before = nullptr;
    // (1) relaxed; alone: one word
    if (!found[key].compare_exchange_strong(before, mine, sync::relaxed, sync::relaxed)) {
      RL_ASSERT(before == mine);
    }
  }

  // As a static says it, which may be that of a library before: no site, or a whole one.
  void look_for_number(std::uint32_t number) {
    if (place* const other = index.numbered(number)) RL_ASSERT(other->number() == number);
  }

  void thread(unsigned me) {
    if (me == 2) look_for_number(1);
    check(1);
    look_for_number(2);
    check(me == 0 ? 5 : 3);
    check(me == 0 ? 3 : 1);
  }

  void after() {
    for (unsigned key = 0; key < 6; ++key) {
      // (3) relaxed; alone: there is no other thread
      const bool was_missed = missed[key].load(sync::relaxed) != 0;
      // (4) relaxed; alone: as (3)
      const bool was_found = found[key].load(sync::relaxed) != nullptr;
      RL_ASSERT(!was_missed || (Most < 3 && !was_found));
    }
    index.free();
  }
};

using growing = lookers<8, 3>;
using full = lookers<2, 3>;

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<growing>("growing");
  models.run<full>("full");
  return models.finish();
}
