// A schedule with its options as programs have it (doall/abi.h, doall_schedule).
#pragma once

#include <algorithm>
#include <cstdint>

#include "doall/abi.h"
#include "schedule/grammar.hpp"

namespace doall::schedules {

static_assert(most_options <= std::size(doall_schedule{}.options));

// With the options that it has, which may be fewer than ours, or more.
[[gnu::noinline]] inline params read_options(const doall_schedule& from) {
  params given{.order = from.order};
  std::copy_n(from.options, std::min<std::size_t>(from.count, most_options), given.own.begin());
  return given;
}

// Of one that names no schedule: which == nullptr.
inline spec read_descriptor(const doall_schedule& from) {
  spec s{reinterpret_cast<const entry*>(static_cast<std::uintptr_t>(from.which)), {}};
  if (s.which == nullptr) return s;
  if (from.count != most_options) [[unlikely]] {
    s.given = read_options(from);
    return s;
  }
  s.given.order = from.order;
  std::copy_n(from.options, most_options, s.given.own.begin());
  return s;
}

// Whether it names a schedule that deals each worker one block (registry.hpp). Read in place, for a
// loop that runs so costs little more than a copy of its options.
inline bool is_one_block_each(const doall_schedule& named) {
  const auto* const which =
      reinterpret_cast<const entry*>(static_cast<std::uintptr_t>(named.which));
  if (which == nullptr) return false;
  u64 given = named.order;
  for (std::size_t i = 0; i < std::min<std::size_t>(named.count, most_options); ++i) {
    given |= named.options[i];
  }
  return given == 0 && is_one_block_each(*which);
}

inline doall_schedule make_descriptor(const spec& s) {
  doall_schedule made{};
  if (s.which == nullptr) return made;
  made.which = reinterpret_cast<std::uintptr_t>(s.which);
  made.order = static_cast<std::uint32_t>(s.given.order);
  made.count = static_cast<std::uint32_t>(std::size(made.options));
  std::ranges::copy(s.given.own, made.options);
  return made;
}

}  // namespace doall::schedules
