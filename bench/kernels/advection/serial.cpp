#include "kernels/advection/steps.hpp"

namespace doall::bench {

void run_serial(advection& k) {
  run_steps(k, [](int count, const auto& body) {
    for (int i = 0; i < count; ++i) body(i);
  });
}

}  // namespace doall::bench
