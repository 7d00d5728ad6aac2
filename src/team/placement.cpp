#include "team/placement.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <climits>
#include <numeric>

#include "team/settings.hpp"

namespace doall::team {
namespace {

constexpr int bits_a_word = sizeof(unsigned long) * CHAR_BIT;

std::size_t word_of(int cpu) { return static_cast<std::size_t>(cpu / bits_a_word); }
unsigned long bit_of(int cpu) { return 1UL << (cpu % bits_a_word); }

}  // namespace

void pin_calling_thread(std::uint32_t index) {
  const settings& s = environment();
  if (s.places.empty()) return;
  const std::size_t at =
      s.on_one_place ? 0 : topology::place_of(index, s.threads, s.places.size(), s.spread);
  // A refusal leaves the thread unpinned.
  cpu_mask::of_cpus(s.places[at]).apply_to(0);
}

cpu_mask cpu_mask::of_thread(pid_t id) {
  cpu_mask found;
  const long bytes = syscall(SYS_sched_getaffinity, id, sizeof found.words_, found.words_.data());
  return bytes > 0 ? found : cpu_mask();
}

cpu_mask cpu_mask::only(int cpu) {
  cpu_mask one;
  if (cpu >= 0 && cpu < most_cpus) one.words_[word_of(cpu)] = bit_of(cpu);
  return one;
}

cpu_mask cpu_mask::of_cpus(std::span<const int> cpus) {
  cpu_mask all;
  for (const int cpu : cpus) {
    if (cpu >= 0 && cpu < most_cpus) all.words_[word_of(cpu)] |= bit_of(cpu);
  }
  return all;
}

bool cpu_mask::has(int cpu) const {
  return cpu >= 0 && cpu < most_cpus && (words_[word_of(cpu)] & bit_of(cpu)) != 0;
}

bool cpu_mask::has_several() const {
  return std::accumulate(words_.begin(), words_.end(), 0,
                         [](int sum, unsigned long word) { return sum + std::popcount(word); }) > 1;
}

cpu_mask cpu_mask::without(int cpu) const {
  cpu_mask rest = *this;
  if (has(cpu)) rest.words_[word_of(cpu)] &= ~bit_of(cpu);
  return rest;
}

cpu_mask cpu_mask::within(std::span<const int> cpus) const {
  cpu_mask both;
  for (const int cpu : cpus) {
    if (has(cpu)) both.words_[word_of(cpu)] |= bit_of(cpu);
  }
  return both;
}

bool cpu_mask::apply_to(pid_t id) const {
  return syscall(SYS_sched_setaffinity, id, sizeof words_, words_.data()) == 0;
}

void placement::of_this_thread(std::span<const int> domain) {
  id_ = gettid();
  home_ = cpu_mask::of_thread(id_);
  domain_ = domain.empty() ? home_ : home_.within(domain);
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
  const cpu_mask only_here = cpu_mask::only(here);
  if (!domain_.has(here) || !may_leave(here) || !only_here.apply_to(id_)) return false;
  // It is in this CPU's queue now. Unless it has already run and changed its mask itself, let it
  // leave again, and let threads that it starts run anywhere.
  if (cpu_mask::of_thread(id_) == only_here) home_.apply_to(id_);
  return true;
}

void placement::send_away() const { leave(sched_getcpu()); }

void placement::evade(int cpu) const { leave(cpu); }

void placement::leave(int cpu) const {
  const cpu_mask rest = domain_.without(cpu);
  if (rest != cpu_mask() && may_leave(cpu) && rest.apply_to(id_)) home_.apply_to(id_);
}

}  // namespace doall::team
