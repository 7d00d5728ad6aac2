#include "lbs/inner_loops.hpp"

#include "kernels/nested_doall.hpp"
#include "kernels/nested_loops.hpp"

namespace doall::bench {
namespace {

template <class Loops>
void run_nest(inner_loops& k, const Loops& loops) {
  loops.outer(k.outer_length(), [&](std::size_t i) {
    loops.inner(k.inner_length, [&k, i](std::size_t j) { k.count(i, j); });
  });
}

struct plain_inner_nest : doall_nest {
  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    run_part(body, 0, count);
  }
};

}  // namespace

[[gnu::noinline]] void inner_loops::count(std::size_t outer, std::size_t inner) {
  note(0, outer * inner_length + inner);
  ++counts_[outer];
}

void run_serial(inner_loops& k) { run_nest(k, serial_nest{}); }

void run_doall(inner_loops& k, const loop_options& options, inner how) {
  how == inner::parallel ? run_nest(k, doall_nest{options})
                         : run_nest(k, plain_inner_nest{{options}});
}

}  // namespace doall::bench
