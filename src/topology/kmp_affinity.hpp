// LLVM's older way to say where threads are bound, KMP_AFFINITY, in OpenMP's terms.
//
//   [modifier,...]type[,permute[,offset]]
//   type        compact, scatter, balanced, explicit, none or disabled
//   modifier    granularity=fine, thread, core, tile, l3, die, numa, socket or package;
//               proclist=[CPUs], where {CPUs} are one place and a-b or a-b:stride are several;
//               verbose, respect, warnings, reset, or one of these behind `no`
#pragma once

#include <string>
#include <string_view>

namespace doall::topology {

struct kmp_affinity {
  bool binds = false;
  bool spread = false;   // over the places; else one after the other
  bool resets = false;   // the program's own threads are unbound outside regions
  std::string places{};  // as OMP_PLACES has them; empty: a CPU each, one core after the other
  std::string error{};   // what was expected; empty when the text was read
};

// `compact` has neighbours next to each other; with a permutation of 1, as in "compact,1,0", one
// core after the other. `scatter` and `balanced` are both `spread`. O(length of the text and of
// what it names), both bounded.
kmp_affinity read_kmp_affinity(std::string_view text);

}  // namespace doall::topology
