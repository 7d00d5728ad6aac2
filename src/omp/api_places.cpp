// The user's functions for binding. When workers are pinned, places are those of the environment
// or, if it names none, one CPU each in the order in which workers are pinned; and a thread's
// partition is all places, or those of its NUMA domain (region.hpp). Otherwise there are no places.
#include <algorithm>
#include <numeric>
#include <vector>

#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "omp/region.hpp"
#include "topology/topology.hpp"

using namespace doall;

namespace {

const std::vector<topology::place>& places() { return omp::process().places; }

bool is_place(int place) { return place >= 0 && static_cast<std::size_t>(place) < places().size(); }

}  // namespace

extern "C" {

int omp_get_proc_bind(void) { return static_cast<int>(omp::self().settings.place); }

int omp_get_num_places(void) { return static_cast<int>(places().size()); }
int omp_get_place_num_procs(int place) {
  return is_place(place) ? static_cast<int>(places()[static_cast<std::size_t>(place)].size()) : 0;
}
void omp_get_place_proc_ids(int place, int* ids) {
  if (is_place(place)) std::ranges::copy(places()[static_cast<std::size_t>(place)], ids);
}

// A thread that may run elsewhere than on the CPUs of one place is not in a place.
int omp_get_place_num(void) {
  if (places().empty()) return -1;
  const auto found = std::ranges::find(places(), topology::allowed_cpus());
  return found == places().end() ? -1 : static_cast<int>(found - places().begin());
}

int omp_get_partition_num_places(void) {
  const omp::place_range mine = omp::partition_of(omp::self());
  return static_cast<int>(mine.end - mine.begin);
}
void omp_get_partition_place_nums(int* numbers) {
  const omp::place_range mine = omp::partition_of(omp::self());
  std::iota(numbers, numbers + (mine.end - mine.begin), static_cast<int>(mine.begin));
}

}  // extern "C"
