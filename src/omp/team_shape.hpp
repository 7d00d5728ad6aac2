// The team of a parallel region, as a rule without state: how many threads it gets, and which of
// the pool's workers.
//
// Usually it gets the first `size` workers. The exception is fine-grain's section 3.3, in OpenMP's
// words: an outer region with proc_bind(spread) that has no more threads than there are NUMA
// domains, and may have another active region inside. Its threads are the first workers of as many
// domains, one each, and it takes the domains' other workers along. A region that one of its
// threads encounters gets that thread's domain for a team (proc_bind(close)), and its launches,
// joins and barriers do not leave the domain.
//
// Any other region inside an active one gets threads of its own beside those at work in the nest,
// as far as thread-limit-var allows (inner_threads.hpp).
//
// Threads need not be pinned for that: the clause then says only which thread is in which team,
// which the standard leaves to the implementation. If they are, the n-th part of the places has to
// be the n-th domain (thread_places.hpp); else the regions inside get threads of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "omp/state.hpp"

namespace doall::omp {

struct team_shape {
  std::uint32_t size = 1;     // threads of the region
  std::uint32_t workers = 1;  // of the pool that are taken for it

  // Whether each thread leads a domain, for the regions that it meets.
  bool one_a_domain() const { return workers > size; }
  bool operator==(const team_shape&) const = default;
};

// What a parallel construct asks for.
struct team_wish {
  std::uint32_t num_threads = 0;  // of the clause; 0: none
  binding proc_bind = binding::none;
  std::unique_ptr<const thread_list> list{};  // of num_threads(a, b, ...)
  // num_threads(strict: n): what happens if there are fewer; and the message.
  enum strictness : std::uint8_t { not_strict, warns, ends } strict = not_strict;
  const char* message = nullptr;

  // Not explicit: most callers know of no proc_bind clause.
  team_wish(std::uint32_t threads = 0, binding bind = binding::none)
      : num_threads(threads), proc_bind(bind) {}
};

// The threads that a region gets if there are as many: the clause's or nthreads-var, 1 beyond
// max-active-levels-var, within thread-limit-var.
inline std::uint32_t team_size(const icvs& v, std::uint32_t active_level, std::uint32_t wanted) {
  if (active_level >= v.max_active_levels) return 1;
  return std::max<std::uint32_t>(1, std::min(wanted != 0 ? wanted : v.threads, v.thread_limit));
}

// The same inside an active region, while `busy` threads of the nest are at work, including the
// encountering one: no more than the limit leaves, nor, where dyn-var allows a choice, than there
// are CPUs.
inline std::uint32_t team_size_beside(const icvs& v, std::uint32_t busy, std::uint32_t wanted,
                                      std::uint32_t cpus) {
  const std::uint32_t most = v.dynamic ? std::min(v.thread_limit, cpus) : v.thread_limit;
  return std::min(wanted, most > busy ? most - busy + 1 : 1);
}

// The shape of a region encountered at `active_level`. `domain_starts` (topology/domains.hpp) says
// where domains begin among the `workers` that a nest of regions may use. O(1).
inline team_shape shape_of(const icvs& v, std::uint32_t active_level, const team_wish& wish,
                           std::span<const std::uint32_t> domain_starts, std::uint32_t workers) {
  const std::uint32_t size = team_size(v, active_level, wish.num_threads);
  const binding bind = wish.proc_bind != binding::none ? wish.proc_bind : binding{v.place};
  const bool may_nest = active_level == 0 && v.max_active_levels > 1;
  if (size == 1 || !may_nest || bind != binding::spread || size > domain_starts.size()) {
    return {size, size};
  }
  const std::uint32_t end = size < domain_starts.size() ? domain_starts[size] : workers;
  const std::uint32_t taken = std::min(end, v.thread_limit);
  const bool reaches_all = taken > domain_starts[size - 1];
  return {size, reaches_all ? taken : size};
}

}  // namespace doall::omp
