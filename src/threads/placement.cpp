#include "threads/placement.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "settings/settings.hpp"
#include "topology/domains.hpp"

namespace doall::team {
namespace {

constexpr int bits_a_word = sizeof(unsigned long) * CHAR_BIT;

std::size_t word_of(int cpu) { return static_cast<std::size_t>(cpu / bits_a_word); }
unsigned long bit_of(int cpu) { return 1UL << (cpu % bits_a_word); }

struct thread_here {
  std::int32_t place = no_place;
  std::int32_t home = no_place;
  placement* own = nullptr;
};
constinit thread_local thread_here bound;

std::size_t home_of(std::uint32_t worker) {
  const settings& s = environment();
  if (s.on_one_place) return 0;
  return topology::place_of(worker, s.threads, s.places.size(), s.spread);
}

// The domains of the workers' homes, from worker 0 on, and then again; empty: there is one domain.
constinit base::lazy<std::vector<unsigned>> domains_of_homes;
const base::at_unload forget_domains([] { domains_of_homes.drop(); });

std::vector<unsigned> find_domains() {
  const settings& s = environment();
  std::vector<int> cpus;
  for (std::uint32_t w = 0; w < std::max<std::size_t>(s.threads, s.places.size()); ++w) {
    cpus.push_back(s.places[home_of(w)].front());
  }
  return topology::domains_of(cpus);
}

}  // namespace

constinit sync::atomic<bool> threads_moved{false};

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

void placement::give_turn() const {
  // A little less than a time slice beside one other thread, a tick of 4 ms on usual kernels. Who
  // comes back after longer than that was preempted meanwhile, or worked for so long that it is
  // preempted in its work anyway.
  constexpr std::uint64_t turn_ns = 3'300'000;
  const std::uint64_t now_ns = base::now_ns();
  const bool was_away = now_ns - std::exchange(rested_ns_, now_ns) > turn_ns;
  if (was_away) since_ns_ = now_ns;
  if (now_ns - since_ns_ < turn_ns) return;
  sync::yield();
  since_ns_ = rested_ns_ = base::now_ns();
}

bool placement::pull() const {
  const resting::hold mine(rests_);
  return mine.allowed() && mine.stays_at_rest() && go_to(sched_getcpu());
}

void placement::send_away() const {
  const resting::hold mine(rests_);
  if (mine.allowed() && mine.stays_at_rest()) leave(sched_getcpu());
}

void placement::evade(int cpu) const {
  const resting::hold mine(rests_);
  if (mine.allowed()) leave(cpu);
}

void placement::follow(int cpu) const {
  const resting::hold mine(rests_);
  if (mine.allowed()) go_to(cpu);
}

// Called by the holder of the lock. Returns whether the thread moved.
bool placement::go_to(int cpu) const {
  if (!domain_.has(cpu) || !may_leave(cpu) || !cpu_mask::only(cpu).apply_to(id_)) return false;
  // It is in that CPU's queue now, and may leave again.
  home_.apply_to(id_);
  return true;
}

// Called by the holder of the lock.
void placement::leave(int cpu) const {
  const cpu_mask rest = domain_.without(cpu);
  if (rest != cpu_mask() && may_leave(cpu) && rest.apply_to(id_)) home_.apply_to(id_);
}

void placement::move(const cpu_mask& to) {
  for (;;) {
    const resting::hold mine(rests_);
    if (mine.allowed()) {
      to.apply_to(0);  // a refusal leaves it where it is
      home_ = domain_ = to;
      return;
    }
    sync::yield();
  }
}

void take_home(std::uint32_t worker, placement* own) {
  bound.own = own;
  if (environment().places.empty()) return;
  bound.home = static_cast<std::int32_t>(home_of(worker));
  return_home();
}

std::int32_t place_here() { return bound.place; }

void move_to_place(std::int32_t place) {
  if (bound.place == place) return;
  bound.place = place;
  // (4) relaxed; alone: see (3)
  if (bound.own != nullptr && place != bound.home) threads_moved.store(true, sync::relaxed);
  const cpu_mask cpus = cpu_mask::of_cpus(environment().places[static_cast<std::size_t>(place)]);
  if (bound.own != nullptr) {
    bound.own->move(cpus);
  } else {
    cpus.apply_to(0);
  }
}

void leave_place(std::span<const int> cpus) {
  if (bound.own != nullptr || bound.place == no_place) return;
  bound.place = no_place;
  cpu_mask::of_cpus(cpus).apply_to(0);
}

void return_home() { move_to_place(bound.home); }

void forget_own_placement() { bound.own = nullptr; }

std::vector<std::uint32_t> domain_starts(std::uint32_t workers) {
  if (!environment().pinned) return topology::domain_starts(workers);
  return topology::starts_of(domains_of_homes.get(find_domains), workers);
}

bool is_in_domain(std::uint32_t place, std::uint32_t first) {
  const std::vector<unsigned>& domains = domains_of_homes.get(find_domains);
  if (domains.empty()) return true;
  const settings& s = environment();
  const auto all = std::max<std::size_t>({domains.size(), s.threads, s.places.size()});
  for (std::uint32_t w = 0; w < all; ++w) {
    if (home_of(w) == place && domains[w % domains.size()] == domains[first % domains.size()]) {
      return true;
    }
  }
  return false;
}

}  // namespace doall::team
