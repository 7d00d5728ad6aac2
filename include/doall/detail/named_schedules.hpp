// Schedules by name: what doall::schedule offers. Made by `doall schedules --cpp` from
// what each schedule says of itself in its header in src/schedule; a test compares.
#pragma once

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace detail {

// P is the number of workers, N of iterations. A number is at least 1. One that is out of
// range is refused: std::invalid_argument.
// clang-format off
template <class Schedule>
struct named_schedules {
  // one block for each worker, or chunks round robin; no sharing.
  static Schedule static_() { return Schedule::named("static"); }
  // chunk: iterations a chunk, dealt round robin; default: one block each.
  static Schedule static_(std::uint64_t chunk) { return Schedule::named("static", chunk); }

  // idle workers take the next chunk from a common counter.
  static Schedule dynamic() { return Schedule::named("dynamic"); }
  // chunk: iterations a chunk; default 1.
  static Schedule dynamic(std::uint64_t chunk) { return Schedule::named("dynamic", chunk); }

  // idle workers take a fixed part of what is left.
  static Schedule guided() { return Schedule::named("guided"); }
  // chunk: least iterations a chunk; default 1.
  static Schedule guided(std::uint64_t chunk) { return Schedule::named("guided", chunk); }
  // k: takes 1/(kP) of what is left; default 1.
  static Schedule guided(std::uint64_t chunk, std::uint64_t k) {
    return Schedule::named("guided", chunk, "k", k);
  }

  // chunks shrink from N/2P to 1 by a constant.
  static Schedule trapezoid() { return Schedule::named("trapezoid"); }

  // own queue first, the same one every time; then a little from the fullest.
  static Schedule affinity() { return Schedule::named("affinity"); }
  // k: takes 1/k of its own queue at a time; default P.
  static Schedule affinity(std::uint64_t k) { return Schedule::named("affinity", k); }
  // rob: takes 1/rob of another's queue; default P.
  static Schedule affinity(std::uint64_t k, std::uint64_t rob) {
    return Schedule::named("affinity", k, "rob", rob);
  }

  // every P-th iteration is the same worker's; no sharing.
  static Schedule cyclic() { return Schedule::named("cyclic"); }

  // guided with every P-th iteration in a chunk; a worker that fails to get one waits.
  static Schedule adaptive_guided() { return Schedule::named("adaptive-guided"); }

  // in phases: half of what is left in P equal chunks.
  static Schedule factoring() { return Schedule::named("factoring"); }

  // factoring, each worker the same chunk of a phase every time.
  static Schedule mod_factoring() { return Schedule::named("mod-factoring"); }

  // guided, with smaller chunks the more iteration times have varied.
  static Schedule tapering() { return Schedule::named("tapering"); }
  // chunk: least iterations a chunk; default 1.
  static Schedule tapering(std::uint64_t chunk) { return Schedule::named("tapering", chunk); }

  // affinity, but an iteration is queued where it last ran.
  static Schedule affinity_last() { return Schedule::named("affinity-last"); }
  // k: takes 1/k of its own queue at a time; default P.
  static Schedule affinity_last(std::uint64_t k) { return Schedule::named("affinity-last", k); }
  // rob: takes 1/rob of another's queue; default P.
  static Schedule affinity_last(std::uint64_t k, std::uint64_t rob) {
    return Schedule::named("affinity-last", k, "rob", rob);
  }

  // one block for each worker, of equal cost: as told, or as earlier runs took.
  static Schedule best_static() { return Schedule::named("best-static"); }

  // own partition first, a chunk at a time; then half of what another has left.
  static Schedule static_steal() { return Schedule::named("static-steal"); }
  // chunk: iterations a chunk; default 1.
  static Schedule static_steal(std::uint64_t chunk) {
    return Schedule::named("static-steal", chunk);
  }

  // one block for each worker, for loops of microseconds.
  static Schedule fine_grain() { return Schedule::named("fine-grain"); }

  // own partition first, then others in an order of its own; then half of another's.
  static Schedule hybrid() { return Schedule::named("hybrid"); }
  // chunk: most iterations a chunk; default: the less of 2048 and N/8P.
  static Schedule hybrid(std::uint64_t chunk) { return Schedule::named("hybrid", chunk); }
  // parts: partitions, rounded up to a power of two, at most 8P; default P; from 1 to 8192.
  static Schedule hybrid(std::uint64_t chunk, std::uint64_t parts) {
    return Schedule::named("hybrid", chunk, "parts", parts);
  }

  // lbs,1, but a loop inside of a loop runs where it is met.
  static Schedule serial_inner() { return Schedule::named("serial-inner"); }

  // one iteration at a time; a thief takes over the rest.
  static Schedule sws() { return Schedule::named("sws"); }

  // split in halves at once, down to a threshold.
  static Schedule ebs_simple() { return Schedule::named("ebs-simple"); }
  // sst: a part of so many iterations is not split; default 1.
  static Schedule ebs_simple(std::uint64_t sst) { return Schedule::named("ebs-simple", sst); }

  // split in halves at once, into so many chunks a worker.
  static Schedule ebs_auto() { return Schedule::named("ebs-auto"); }
  // k: splits into kP chunks; default 4.
  static Schedule ebs_auto(std::uint64_t k) { return Schedule::named("ebs-auto", k); }
  // v: a stolen part into at least so many; default 4.
  static Schedule ebs_auto(std::uint64_t k, std::uint64_t v) {
    return Schedule::named("ebs-auto", k, "v", v);
  }

  // halves are split off as long as thieves take them.
  static Schedule lbs() { return Schedule::named("lbs"); }
  // ppt: iterations that are run between two looks; default: those of 1,000 cycles, or N/64P.
  static Schedule lbs(std::uint64_t ppt) { return Schedule::named("lbs", ppt); }

  // lbs, but a loop of under 10,000 cycles runs where it is met.
  static Schedule lbs_plus() { return Schedule::named("lbs+"); }
  // ppt: iterations that are run between two looks; default: those of 1,000 cycles, or N/64P.
  static Schedule lbs_plus(std::uint64_t ppt) { return Schedule::named("lbs+", ppt); }

  // every P-th block first; then half of what a worker drawn at random has left.
  static Schedule wsr() { return Schedule::named("wsr"); }
  // c: iterations reserved at a time; default: the fourth root of the total workload, more in long
  // loops, of wsrw fewer where they are dear.
  static Schedule wsr(std::uint64_t c) { return Schedule::named("wsr", c); }
  // min: a worker with fewer iterations left is not stolen from; default 5.
  static Schedule wsr(std::uint64_t c, std::uint64_t min) {
    return Schedule::named("wsr", c, "min", min);
  }

  // wsr, but from the worker with most iterations left.
  static Schedule wsri() { return Schedule::named("wsri"); }
  // c: iterations reserved at a time; default: the fourth root of the total workload, more in long
  // loops, of wsrw fewer where they are dear.
  static Schedule wsri(std::uint64_t c) { return Schedule::named("wsri", c); }
  // min: a worker with fewer iterations left is not stolen from; default 5.
  static Schedule wsri(std::uint64_t c, std::uint64_t min) {
    return Schedule::named("wsri", c, "min", min);
  }

  // own block of equal cost first; then half of the cost that is left where most is.
  static Schedule wsrw() { return Schedule::named("wsrw"); }
  // c: iterations reserved at a time; default: the fourth root of the total workload, more in long
  // loops, of wsrw fewer where they are dear.
  static Schedule wsrw(std::uint64_t c) { return Schedule::named("wsrw", c); }
  // min: a worker with fewer iterations left is not stolen from; default 5.
  static Schedule wsrw(std::uint64_t c, std::uint64_t min) {
    return Schedule::named("wsrw", c, "min", min);
  }

  // lbs as in its paper: a worker splits the innermost of its nested loops.
  static Schedule lbs_innermost() { return Schedule::named("lbs-innermost"); }
  // ppt: iterations that are run between two looks; default: those of 1,000 cycles, or N/64P.
  static Schedule lbs_innermost(std::uint64_t ppt) { return Schedule::named("lbs-innermost", ppt); }

  // own partition first, in shrinking pieces; then half of what another has left.
  static Schedule auto_() { return Schedule::named("auto"); }

  // hybrid as the paper has it: victims are random, and frames are stolen.
  static Schedule hybrid_published() { return Schedule::named("hybrid-published"); }
  // chunk: most iterations a chunk; default: the less of 2048 and N/8P.
  static Schedule hybrid_published(std::uint64_t chunk) {
    return Schedule::named("hybrid-published", chunk);
  }
  // parts: partitions, rounded up to a power of two, at most 8P; default P; from 1 to 8192.
  static Schedule hybrid_published(std::uint64_t chunk, std::uint64_t parts) {
    return Schedule::named("hybrid-published", chunk, "parts", parts);
  }
};
// clang-format on

}  // namespace detail
}  // namespace v0
}  // namespace doall
