#include <tbb/task_arena.h>

#include "kernels/nested_tbb.hpp"
#include "kernels/quicksort/nest.hpp"

namespace doall::bench {

template <class Partitioner>
void run_tbb(quicksort& k, std::size_t grain) {
  run_nest(k, tbb_nest<Partitioner>{grain}, tbb::this_task_arena::max_concurrency());
}

template void run_tbb<tbb::simple_partitioner>(quicksort& k, std::size_t grain);
template void run_tbb<tbb::auto_partitioner>(quicksort& k, std::size_t grain);
template void run_tbb<tbb::affinity_partitioner>(quicksort& k, std::size_t grain);

}  // namespace doall::bench
