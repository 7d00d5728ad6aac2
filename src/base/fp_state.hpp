// A thread's floating-point control state: rounding, flushing of tiny numbers to zero, which
// exceptions trap, and x87's precision. Without the sticky flags of exceptions that have happened:
// those stay each thread's own.
//
// Empty on machines other than x86-64 and AArch64.
// Cost: reading takes some cycles; loading, about twenty, and only if two threads differ.
#pragma once

#include <cstdint>

namespace doall::base {

class fp_state {
 public:
  static fp_state of_this_thread() {
    fp_state now;
#if defined(__x86_64__)
    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
    asm volatile("stmxcsr %0" : "=m"(mxcsr));
    asm volatile("fnstcw %0" : "=m"(x87));
    now.bits_ = (mxcsr & control_bits) << 16 | x87;
#elif defined(__aarch64__)
    std::uint64_t fpcr = 0;
    asm volatile("mrs %0, fpcr" : "=r"(fpcr));
    now.bits_ = static_cast<std::uint32_t>(fpcr);
#endif
    return now;
  }

  void load() const {
#if defined(__x86_64__)
    const std::uint32_t mxcsr = bits_ >> 16;
    const auto x87 = static_cast<std::uint16_t>(bits_);
    // Clear flags first: one whose exception traps from now on would trap immediately.
    asm volatile("fnclex\n\tfldcw %0" : : "m"(x87));
    asm volatile("ldmxcsr %0" : : "m"(mxcsr));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{bits_}));
#endif
  }

  bool operator==(const fp_state&) const = default;

 private:
  static constexpr std::uint32_t control_bits = 0xffc0;  // of MXCSR; the flags lie below

  // MXCSR's above x87's control word, or FPCR: two bytes each, or the four in use.
  std::uint32_t bits_ = 0;
};

}  // namespace doall::base
