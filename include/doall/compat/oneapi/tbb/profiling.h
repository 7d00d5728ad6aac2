// profiling: the names of oneTBB's collector, which do nothing. `doall run` reports loops.
#ifndef DOALL_COMPAT_PROFILING_H
#define DOALL_COMPAT_PROFILING_H

#include "detail/base.h"

namespace tbb {
inline namespace doall_v0 {
namespace profiling {

inline void set_name(...) {}

class event {
 public:
  template <class Name>
  explicit event(const Name&) {}
  void emit() {}
  template <class Name>
  static void emit(const Name&) {}
};

}  // namespace profiling
}  // namespace doall_v0
}  // namespace tbb

#endif
