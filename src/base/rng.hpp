// A small deterministic random generator: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). The same
// seed gives the same stream on every machine, so a failing property test can print the one number
// that repeats it.
#pragma once

#include <cstdint>

namespace doall::base {

class rng {
 public:
  explicit constexpr rng(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // A number in [0, bound), bound > 0. The bias of the modulus is below
  // bound / 2^64, which no test or victim choice here can notice.
  constexpr std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace doall::base
