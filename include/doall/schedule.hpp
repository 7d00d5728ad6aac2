// doall::schedule: how a parallel loop's iterations are dealt to the workers.
#pragma once

#include <doall/abi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {

struct loop_options;

// A schedule as a value: cheap to copy, made once or on the spot.
//
//   doall::schedule::guided(4)          by name
//   doall::schedule("guided,4,k=2")     from the grammar name[,number]...[,key=value]...
//   doall::schedule{}                   the runtime's default
//
// `doall schedules` lists the names, their parameters and the papers they are
// from. A name or number that is not valid throws std::invalid_argument, with
// the message that the command line gives.
class schedule {
 public:
  schedule() = default;
  explicit schedule(const std::string& text) : schedule(text.c_str()) {}
  explicit schedule(const char* text) {
    char why[512] = "";
    if (doall_schedule_parse(text, &raw_, why, sizeof why) != 0) {
      throw std::invalid_argument(why);
    }
  }

  // One block of iterations for each worker.
  static schedule static_() { return schedule("static", nullptr); }
  // Chunks of `chunk` iterations, round robin.
  static schedule static_(std::uint64_t chunk) { return schedule("static", &chunk); }
  // Idle workers take the next `chunk` iterations.
  static schedule dynamic(std::uint64_t chunk = 1) { return schedule("dynamic", &chunk); }
  // Idle workers take 1/P of what is left, at least `chunk` iterations.
  static schedule guided(std::uint64_t chunk = 1) { return schedule("guided", &chunk); }
  // The same, 1/kP.
  static schedule guided(std::uint64_t chunk, std::uint64_t k) {
    char text[64];
    std::snprintf(text, sizeof text, "guided,%" PRIu64 ",k=%" PRIu64, chunk, k);
    return schedule(static_cast<const char*>(text));
  }
  // Chunks shrink from N/2P iterations to 1 by a constant.
  static schedule trapezoid() { return schedule("trapezoid", nullptr); }
  // Every worker's own queue first, 1/P of it at a time; then the fullest's.
  static schedule affinity() { return schedule("affinity", nullptr); }
  // The same, 1/k of its own queue at a time.
  static schedule affinity(std::uint64_t k) { return schedule("affinity", &k); }
  // affinity, but an iteration is queued where it last ran; k likewise.
  static schedule affinity_last() { return schedule("affinity-last", nullptr); }
  static schedule affinity_last(std::uint64_t k) { return schedule("affinity-last", &k); }
  // Iteration i runs on worker i mod P.
  static schedule cyclic() { return schedule("cyclic", nullptr); }
  // guided, with neighbouring iterations in different chunks, and back-off.
  static schedule adaptive_guided() { return schedule("adaptive-guided", nullptr); }
  // In phases: half of what is left in P equal chunks.
  static schedule factoring() { return schedule("factoring", nullptr); }
  // factoring, each worker the same chunk of a phase every time.
  static schedule mod_factoring() { return schedule("mod-factoring", nullptr); }
  // guided, with smaller chunks, at least `chunk` iterations, the more iteration
  // times have varied in the loop's earlier runs.
  static schedule tapering(std::uint64_t chunk = 1) { return schedule("tapering", &chunk); }
  // One block for each worker, of equal cost: wants costs (options.hpp).
  static schedule best_static() { return schedule("best-static", nullptr); }

  // A block for each worker, taken `chunk` iterations at a time; who has none left
  // steals half of another's.
  static schedule static_steal(std::uint64_t chunk = 1) { return schedule("static-steal", &chunk); }

  // One block for each worker, launched as cheaply as can be: for loops of microseconds.
  static schedule fine_grain() { return schedule("fine-grain", nullptr); }

  // Own partition first, then others in an order of its own, then half of another's; in
  // chunks of at most `chunk` iterations.
  static schedule hybrid() { return schedule("hybrid", nullptr); }
  static schedule hybrid(std::uint64_t chunk) { return schedule("hybrid", &chunk); }

  // Every P-th block of neighbours is a worker's at first, `c` iterations reserved at a time; who
  // has none left steals half of what another has, of at least five: of one drawn at random (wsr),
  // or of who has most iterations left (wsri). Or one block each of equal cost; then of whose
  // iterations left cost most, half of that cost (wsrw: wants costs, options.hpp). c by default:
  // the fourth root of all costs, or of N, and more in long loops; of wsrw fewer where iterations
  // are dear.
  static schedule wsr() { return schedule("wsr", nullptr); }
  static schedule wsr(std::uint64_t c) { return schedule("wsr", &c); }
  static schedule wsri() { return schedule("wsri", nullptr); }
  static schedule wsri(std::uint64_t c) { return schedule("wsri", &c); }
  static schedule wsrw() { return schedule("wsrw", nullptr); }
  static schedule wsrw(std::uint64_t c) { return schedule("wsrw", &c); }

  // For loops inside of loops: halves are split off as long as somebody comes and steals them,
  // and not below `ppt` iterations, by default those that take 1,000 cycles.
  static schedule lbs() { return schedule("lbs", nullptr); }
  static schedule lbs(std::uint64_t ppt) { return schedule("lbs", &ppt); }
  // The same, but a loop of less than 10,000 cycles is run by who meets it.
  static schedule lbs_plus() { return schedule("lbs+", nullptr); }
  static schedule lbs_plus(std::uint64_t ppt) { return schedule("lbs+", &ppt); }
  // Split in halves at once, to `sst` iterations or fewer.
  static schedule ebs_simple(std::uint64_t sst = 1) { return schedule("ebs-simple", &sst); }
  // Split in halves at once, into k chunks for each worker, and what is stolen into v.
  static schedule ebs_auto() { return schedule("ebs-auto", nullptr); }
  static schedule ebs_auto(std::uint64_t k, std::uint64_t v) {
    char text[64];
    std::snprintf(text, sizeof text, "ebs-auto,%" PRIu64 ",%" PRIu64, k, v);
    return schedule(static_cast<const char*>(text));
  }
  // An iteration at a time; whoever comes takes over what is left.
  static schedule sws() { return schedule("sws", nullptr); }
  // A loop inside of a loop is run by who meets it.
  static schedule serial_inner() { return schedule("serial-inner", nullptr); }

  // A schedule serves wherever options do (options.hpp).
  operator loop_options() const;

  const doall_schedule* raw() const { return &raw_; }

 private:
  schedule(const char* name, const std::uint64_t* value) {
    char why[512] = "";
    if (doall_schedule_make(name, value, &raw_, why, sizeof why) != 0) {
      throw std::invalid_argument(why);
    }
  }

  doall_schedule raw_{};
};

}  // namespace v0
}  // namespace doall
