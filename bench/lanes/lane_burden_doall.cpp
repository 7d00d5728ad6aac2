// The native door's lane.
//
//   lane-burden-doall SCHEDULE...     "default": the loop that names none
#include <doall/doall.hpp>

#include "lanes/burden_lane.hpp"

namespace {

using doall::bench::iterations;
using doall::bench::kernel;

kernel kernel_for(const std::string& name, const doall::schedule& how) {
  return doall::bench::make_kernel(name, [how](auto body) {
    doall::parallel_for(0, iterations, [](int i) { decltype(body)::run(i); }, how);
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<kernel> kernels;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    kernels.push_back(
        kernel_for(name, name == "default" ? doall::schedule() : doall::schedule(name)));
  }
  doall::bench::serve_burden(std::string("libdoall ") + doall_version(), doall_threads(), kernels);
}
