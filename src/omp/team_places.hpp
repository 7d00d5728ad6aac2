// Where the threads of a region run: OpenMP 5.1, section 2.6.2, as arithmetic.
//
// Places are numbered as OMP_PLACES lists them. Each implicit task has a partition, a run of places
// (place-partition-var); the initial task's is all of them. A region's binding tells where its
// threads run, and which part of the encountering task's partition is theirs:
//
//   primary  the place of the encountering thread; the whole partition
//   close    one place after the other, from that of the encountering thread on, around the
//            partition's end; the whole partition
//   spread   the partition is cut into as many parts as there are threads, larger ones first. The
//            encountering thread stays where it is, and has the part with its place; the others run
//            on the first place of one part each, in turn, and have that part
//
// More threads than places, under close or spread: threads with consecutive numbers share a place,
// larger groups first; under spread a thread's partition is its place.
#pragma once

#include <algorithm>
#include <cstdint>

namespace doall::omp {

// As omp_proc_bind_t, and as GCC passes the clause; 0 is no clause.
enum class binding : std::uint32_t { none = 0, is_true = 1, primary = 2, close = 3, spread = 4 };

struct place_range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::uint32_t size() const { return end - begin; }
  bool operator==(const place_range&) const = default;
};

// `items` in `groups` groups of consecutive numbers, the larger ones first.
struct even_groups {
  std::uint32_t each;    // in a smaller group
  std::uint32_t larger;  // how many groups have one more

  even_groups(std::uint32_t items, std::uint32_t groups)
      : each(items / groups), larger(items % groups) {}

  std::uint32_t first(std::uint32_t group) const { return group * each + std::min(group, larger); }
  std::uint32_t group_of(std::uint32_t item) const {
    const std::uint32_t in_larger = larger * (each + 1);
    return item < in_larger ? item / (each + 1) : larger + (item - in_larger) / each;
  }
};

// The places of a region's threads.
struct team_places {
  binding bind = binding::none;  // none: its threads stay where they are
  std::uint32_t threads = 1;
  std::uint32_t home = 0;  // the place of the encountering thread
  place_range all;         // the partition of the encountering task, not empty

  bool operator==(const team_places&) const = default;

  // O(1).
  std::uint32_t place_of(std::uint32_t thread) const {
    if (thread == 0 || bind == binding::primary) return home;
    if (threads > all.size()) return shared_place(thread);
    return bind == binding::spread ? part(thread).begin : wrapped(home_offset() + thread);
  }

  // O(1).
  place_range partition_of(std::uint32_t thread) const {
    if (bind != binding::spread) return all;
    if (threads <= all.size()) return part(thread);
    const std::uint32_t its = shared_place(thread);
    return {its, its + 1};
  }

 private:
  std::uint32_t wrapped(std::uint32_t offset) const {
    return all.begin + (offset < all.size() ? offset : offset - all.size());
  }

  // A thread that is elsewhere counts as at the partition's first place.
  std::uint32_t home_offset() const {
    return home >= all.begin && home < all.end ? home - all.begin : 0;
  }

  // With more threads than places.
  std::uint32_t shared_place(std::uint32_t thread) const {
    return wrapped(home_offset() + even_groups(threads, all.size()).group_of(thread));
  }

  // With as many parts as threads.
  place_range part(std::uint32_t thread) const {
    const even_groups parts(all.size(), threads);
    const std::uint32_t number = (parts.group_of(home_offset()) + thread) % threads;
    return {all.begin + parts.first(number), all.begin + parts.first(number + 1)};
  }
};

}  // namespace doall::omp
