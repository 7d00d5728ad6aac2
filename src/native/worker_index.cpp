#include "native/worker_index.hpp"

#include <array>
#include <bit>

#include "base/fork.hpp"
#include "base/sync.hpp"
#include "base/thread_end.hpp"
#include "base/unload.hpp"

namespace doall::native {
namespace {

constexpr std::uint32_t bits = 64;
constexpr std::uint32_t most_reused = 4096;

constinit std::array<sync::atomic<std::uint64_t>, most_reused / bits> taken{};
constinit sync::atomic<std::uint32_t> next_beyond{most_reused};

// The number plus 1; 0: none yet.
constinit thread_local std::uint32_t mine = 0;

std::uint64_t bit_of(std::uint32_t number) { return std::uint64_t{1} << number % bits; }

void give_back(void*) {
  const std::uint32_t number = mine - 1;
  mine = 0;
  if (number >= most_reused) return;
  // (1) release; pairs with (4): what this thread did with what it keeps under the number
  taken[number / bits].fetch_and(~bit_of(number), sync::release);
}

// The other threads do not exist.
void forget_others() {
  for (std::uint32_t i = 0; i < taken.size(); ++i) {
    const bool is_mine = mine != 0 && (mine - 1) / bits == i;
    // (2) relaxed; alone: the child of a fork has one thread
    taken[i].store(is_mine ? bit_of(mine - 1) : 0, sync::relaxed);
  }
}

const base::thread_end numbers_end(give_back);
[[maybe_unused]] const int freed_in_children = base::at_fork(nullptr, nullptr, forget_others);

std::uint32_t take() {
  for (std::uint32_t i = 0; i < taken.size(); ++i) {
    // (3) relaxed; alone: (4) looks again
    std::uint64_t word = taken[i].load(sync::relaxed);
    while (word != ~std::uint64_t{0}) {
      const auto number = i * bits + static_cast<std::uint32_t>(std::countr_one(word));
      // (4) acquire; pairs with (1): what the number's last owner did
      if (taken[i].compare_exchange_weak(word, word | bit_of(number), sync::acquire,
                                         sync::relaxed)) {
        return number;
      }
    }
  }
  // (5) relaxed; alone: numbers beyond are not used again
  return next_beyond.fetch_add(1, sync::relaxed);
}

}  // namespace

std::uint32_t worker_index() {
  if (mine == 0) {
    mine = take() + 1;
    numbers_end.watch_this_thread(&mine);
  }
  return mine - 1;
}

}  // namespace doall::native
