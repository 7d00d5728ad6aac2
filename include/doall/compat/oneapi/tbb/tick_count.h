// tick_count: points in time.
#ifndef DOALL_COMPAT_TICK_COUNT_H
#define DOALL_COMPAT_TICK_COUNT_H

#include "detail/base.h"

#include <chrono>

namespace tbb {
inline namespace doall_v0 {

class tick_count {
 public:
  using clock_type = std::chrono::steady_clock;
  class interval_t {
   public:
    interval_t() = default;
    explicit interval_t(double seconds)
        : length_(std::chrono::duration_cast<clock_type::duration>(
              std::chrono::duration<double>(seconds))) {}
    explicit interval_t(clock_type::duration length) : length_(length) {}
    double seconds() const { return std::chrono::duration<double>(length_).count(); }
    interval_t& operator+=(const interval_t& i) { return length_ += i.length_, *this; }
    interval_t& operator-=(const interval_t& i) { return length_ -= i.length_, *this; }
    friend interval_t operator+(interval_t a, const interval_t& b) { return a += b; }
    friend interval_t operator-(interval_t a, const interval_t& b) { return a -= b; }

   private:
    clock_type::duration length_{};
  };

  static tick_count now() {
    tick_count made;
    made.at_ = clock_type::now();
    return made;
  }
  friend interval_t operator-(const tick_count& a, const tick_count& b) {
    return interval_t(a.at_ - b.at_);
  }
  static double resolution() {
    return static_cast<double>(clock_type::period::num) /
           static_cast<double>(clock_type::period::den);
  }

 private:
  clock_type::time_point at_{};
};

}  // namespace doall_v0
}  // namespace tbb

#endif
