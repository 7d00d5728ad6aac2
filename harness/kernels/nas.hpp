// Sizes of the NAS Parallel Benchmarks, and how an answer is verified.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace doall::bench {

// The random numbers of the NAS Parallel Benchmarks: the same for every program that is
// to be verified by NAS's numbers.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, its pseudorandom generator:
//   x(k+1) = a x(k) mod 2^46 with a = 5^13, the number is x 2^-46, between 0 and 1
// The report multiplies halves, in doubles. Here one product of unsigned words does: it is
// exact modulo 2^64, which 2^46 divides. Numbers are the same bits, as 46 bits fit a double.
//
// A worker begins anywhere in the sequence: k steps are one multiplication by a^k, which
// takes O(log k). The sequence has 2^44 numbers, if the seed is odd.
class nas_random {
 public:
  // Before the first number: next() returns the one after it. is, cg, mg and ft begin here.
  static constexpr std::uint64_t usual_seed = 314'159'265;

  explicit constexpr nas_random(std::uint64_t seed) : x_(seed & mask) {}

  constexpr double next() { return static_cast<double>(x_ = a * x_ & mask) * unit; }

  // As n calls of next().
  constexpr void skip(std::uint64_t n) {
    for (std::uint64_t power = a; n != 0; n >>= 1, power = power * power & mask) {
      if (n % 2 != 0) x_ = power * x_ & mask;
    }
  }

  constexpr void fill(std::span<double> numbers) {
    for (double& number : numbers) number = next();
  }

  // The x of the number that next() returned last.
  constexpr std::uint64_t state() const { return x_; }

 private:
  static constexpr std::uint64_t a = 1'220'703'125;
  static constexpr std::uint64_t modulus = std::uint64_t{1} << 46;
  static constexpr std::uint64_t mask = modulus - 1;
  static constexpr double unit = 1.0 / static_cast<double>(modulus);

  std::uint64_t x_;
};

// In the words of NPB: S is a sample, W was made for workstations, A is the first of the
// classes that are measured.
enum class nas_class { s, w, a };

// NAS's way to verify a sum whose order is free: `found` is within a part `tolerance` of
// `expected`. What is not a number never is.
inline bool agrees(double found, double expected, double tolerance) {
  return std::abs((found - expected) / expected) <= tolerance;
}

}  // namespace doall::bench
