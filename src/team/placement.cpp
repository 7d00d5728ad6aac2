#include "team/placement.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <numeric>

#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "topology/topology.hpp"

namespace doall::team {
namespace {

constexpr std::size_t bits_a_word = sizeof(unsigned long) * CHAR_BIT;
constexpr std::size_t most_words = 1024;  // 65,536 CPUs

std::size_t word_of(int cpu) { return static_cast<std::size_t>(cpu) / bits_a_word; }
unsigned long bit_of(int cpu) { return 1UL << (static_cast<std::size_t>(cpu) % bits_a_word); }

constinit base::lazy<std::vector<int>> pin_order;
const base::at_unload free_order([] { pin_order.drop(); });

}  // namespace

void pin_calling_thread(std::uint32_t index) {
  const std::vector<int>& order = pin_order.get(topology::pin_order);
  if (order.empty()) return;
  const int cpu = order[index % order.size()];
  cpu_set_t* set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  sched_setaffinity(0, bytes, set);  // a refusal leaves the thread unpinned
  CPU_FREE(set);
}

cpu_mask cpu_mask::of_thread(pid_t id) {
  cpu_mask found;
  // The kernel refuses a mask that is shorter than its own.
  for (std::size_t words = 16; words <= most_words; words *= 2) {
    found.words_.assign(words, 0);
    const long bytes =
        syscall(SYS_sched_getaffinity, id, words * sizeof(unsigned long), found.words_.data());
    if (bytes < 0) continue;
    found.words_.resize(static_cast<std::size_t>(bytes) / sizeof(unsigned long));
    return found;
  }
  return {};
}

bool cpu_mask::has(int cpu) const {
  return cpu >= 0 && word_of(cpu) < words_.size() && (words_[word_of(cpu)] & bit_of(cpu)) != 0;
}

bool cpu_mask::has_several() const {
  return std::accumulate(words_.begin(), words_.end(), 0,
                         [](int sum, unsigned long word) { return sum + std::popcount(word); }) > 1;
}

cpu_mask cpu_mask::only(int cpu) const {
  cpu_mask one;
  one.words_.assign(words_.size(), 0);
  one.words_[word_of(cpu)] = bit_of(cpu);
  return one;
}

cpu_mask cpu_mask::without(int cpu) const {
  cpu_mask rest = *this;
  rest.words_[word_of(cpu)] &= ~bit_of(cpu);
  return rest;
}

bool cpu_mask::apply_to(pid_t id) const {
  return syscall(SYS_sched_setaffinity, id, words_.size() * sizeof(unsigned long), words_.data()) ==
         0;
}

void placement::of_this_thread() {
  id_ = gettid();
  home_ = cpu_mask::of_thread(id_);
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) return;
  // (1) release; pairs with (2): the whole placement
  clock_.store(clock, sync::release);
}

std::uint64_t placement::used_ns() const {
  timespec used{};
  // (2) acquire; pairs with (1): the whole placement
  const clockid_t clock = clock_.load(sync::acquire);
  if (clock == clockid_t{} || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

bool placement::may_leave(int cpu) const {
  return home_.has(cpu) && home_.has_several() && cpu_mask::of_thread(id_) == home_;
}

bool placement::pull() const {
  const int here = sched_getcpu();
  const cpu_mask only_here = home_.only(here);
  if (!may_leave(here) || !only_here.apply_to(id_)) return false;
  // It is in this CPU's queue now. Unless it has run already and changed its mask itself,
  // it may leave again, and threads that it starts may run anywhere.
  if (cpu_mask::of_thread(id_) == only_here) home_.apply_to(id_);
  return true;
}

void placement::send_away() const { leave(sched_getcpu()); }

void placement::evade(int cpu) const { leave(cpu); }

void placement::leave(int cpu) const {
  if (may_leave(cpu) && home_.without(cpu).apply_to(id_)) home_.apply_to(id_);
}

}  // namespace doall::team
