#include "native/c/every_schedule.h"

#include <doall/doall.hpp>

#include <functional>

#include "support/every_schedule.hpp"

extern "C" {

const char* every_schedule(size_t i) {
  static const std::vector<std::string> all = doall::tests::every_schedule_text();
  return i < all.size() ? all[i].c_str() : nullptr;
}

double cpp_sum(int64_t n, double (*term)(int64_t)) {
  return doall::parallel_reduce(int64_t{0}, n, 0.0, term, std::plus<>{});
}

}  // extern "C"
