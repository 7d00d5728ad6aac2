// OpenMP's places: sets of CPUs to which threads are bound, as OMP_PLACES spells them.
//
//   list      place[:count[:stride]] or !place, between commas
//   place     {CPUs}, or a number for the place of that CPU alone
//   CPUs      number[:count[:stride]] or !number, between commas
//   or        threads, cores, ll_caches, sockets or numa_domains, and perhaps (how many)
//
// An interval repeats its place or number, each time moved by the stride, which is 1 if not given
// and may be negative. An exclusion takes out the last place that is the same, or the number.
// What others do otherwise: docs/investigations/2026-11-25-places.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doall::topology {

class hwloc_tree;

// The CPUs of one place, in increasing order.
using place = std::vector<int>;

struct places_result {
  std::vector<place> places;
  std::string error;  // what was expected; empty when the text was read
  // Places that the text lists by their CPUs, none of which may be used: left out.
  std::vector<place> dropped = {};
};

// As the text spells them: "{0,1},{4}"; of a long list only the beginning.
std::string to_text(std::span<const place> places);

// Reads an explicit or abstract list. CPUs that are not `allowed` are left out, and places that
// have no other. O(length of the text and of what it names), both bounded.
places_result read_places(std::string_view text, const hwloc_tree& tree,
                          std::span<const int> allowed);

// The same for this machine and the CPUs that this process uses (hw_subset.hpp). Loads hwloc.
places_result read_places(std::string_view text);

// GCC's older form, GOMP_CPU_AFFINITY: "0 3 1-2 4-15:2", a CPU for each thread in turn.
places_result read_cpu_list(std::string_view text, std::span<const int> allowed);

// The place on which thread `index` of a team of `threads` begins: spread over all places, or one
// place after the other; if there are more threads than places, in blocks of equal size.
std::size_t place_of(std::uint32_t index, std::uint32_t threads, std::size_t places, bool spread);

}  // namespace doall::topology
