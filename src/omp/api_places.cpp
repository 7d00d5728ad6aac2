// The user's functions for binding. Places are those of team::settings; thread_places.hpp says
// which a thread has.
#include <algorithm>
#include <numeric>
#include <vector>

#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "omp/thread_places.hpp"

using namespace doall;

namespace {

const std::vector<topology::place>& places() { return omp::process().places; }

bool is_place(int place) { return place >= 0 && static_cast<std::size_t>(place) < places().size(); }

}  // namespace

extern "C" {

int omp_get_proc_bind(void) { return static_cast<int>(omp::self().settings().place); }

int omp_get_num_places(void) { return static_cast<int>(places().size()); }
int omp_get_place_num_procs(int place) {
  return is_place(place) ? static_cast<int>(places()[static_cast<std::size_t>(place)].size()) : 0;
}
void omp_get_place_proc_ids(int place, int* ids) {
  if (is_place(place)) std::ranges::copy(places()[static_cast<std::size_t>(place)], ids);
}

int omp_get_place_num(void) { return omp::place_of_this_thread(); }

int omp_get_partition_num_places(void) {
  const omp::place_range mine = omp::partition_of(omp::self());
  return static_cast<int>(mine.size());
}
void omp_get_partition_place_nums(int* numbers) {
  const omp::place_range mine = omp::partition_of(omp::self());
  std::iota(numbers, numbers + mine.size(), static_cast<int>(mine.begin));
}

}  // extern "C"
