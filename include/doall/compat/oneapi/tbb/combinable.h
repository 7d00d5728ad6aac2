// combinable: a value for each thread, to be combined.
#ifndef DOALL_COMPAT_COMBINABLE_H
#define DOALL_COMPAT_COMBINABLE_H

#include "enumerable_thread_specific.h"

#include <utility>

namespace tbb {
inline namespace doall_v0 {

template <class T>
class combinable {
 public:
  combinable() = default;
  template <class Make>
  explicit combinable(Make make) : all_(std::move(make)) {}
  combinable(const combinable&) = default;
  combinable(combinable&&) = default;
  combinable& operator=(const combinable&) = default;
  combinable& operator=(combinable&&) = default;

  void clear() { all_.clear(); }
  T& local() { return all_.local(); }
  T& local(bool& exists) { return all_.local(exists); }
  template <class Combine>
  T combine(Combine with) {
    return all_.combine(with);
  }
  template <class Visit>
  void combine_each(Visit visit) {
    all_.combine_each(visit);
  }

 private:
  enumerable_thread_specific<T> all_;
};

}  // namespace doall_v0
}  // namespace tbb

#endif
