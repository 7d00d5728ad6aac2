#include "omp/reductions.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/cache_line.hpp"
#include "base/no_memory.hpp"
#include "omp/fatal.hpp"
#include "omp/region.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {
namespace {

using word = std::uintptr_t;

// The words of one array, by name.
class array {
 public:
  explicit array(word* words) : words_(words) {}

  word variables() const { return words_[0]; }
  word thread_bytes() const { return words_[1]; }
  word& memory() const { return words_[2]; }  // in: its alignment
  word& next() const { return words_[4]; }
  word& is_first() const { return words_[5]; }
  word& memory_end() const { return words_[6]; }
  word original(word i) const { return words_[7 + 3 * i]; }
  word offset(word i) const { return words_[7 + 3 * i + 1]; }

  array next_array() const { return array(reinterpret_cast<word*>(next())); }
  explicit operator bool() const { return words_ != nullptr; }

  // Whether `place` is in some thread's copy of the variables.
  bool holds(word place) const { return place >= memory() && place < memory_end(); }

  word copy(unsigned thread, word offset_in_copy) const {
    return memory() + thread * thread_bytes() + offset_in_copy;
  }

  void allocate(unsigned threads) const {
    const word bytes = thread_bytes() * threads;
    const word alignment = std::max<word>(memory(), base::line_bytes);
    void* fresh = std::aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
    if (fresh == nullptr) base::no_memory();
    std::memset(fresh, 0, bytes);
    memory() = reinterpret_cast<word>(fresh);
    memory_end() = memory() + bytes;
  }

 private:
  word* words_;
};

void unregister_reductions(word* data) {
  array a(data);
  do {
    std::free(reinterpret_cast<void*>(a.memory()));
    a = a.next_array();
  } while (a && a.is_first() == 0);
}

// The variable that an item of in_reduction refers to, whether the item is the variable itself or a
// thread's copy of it.
struct found_item {
  word original = 0;
  word mine = 0;
};

found_item find_item(array innermost, word item, unsigned thread) {
  for (array a = innermost; a; a = a.next_array()) {
    for (word i = 0; i < a.variables(); ++i) {
      if (a.original(i) == item) return {item, a.copy(thread, a.offset(i))};
    }
  }
  for (array a = innermost; a; a = a.next_array()) {
    if (!a.holds(item)) continue;
    const word offset = (item - a.memory()) % a.thread_bytes();
    found_item found{0, a.copy(thread, offset)};
    for (word i = 0; i < a.variables(); ++i) {
      if (a.offset(i) == offset) found.original = a.original(i);
    }
    return found;
  }
  return {};
}

}  // namespace

word* reductions_around(const task_state& me) {
  return me.group != nullptr ? me.group->reductions : me.team->reductions;
}

void register_reductions(word* data, word* outer, word* first_workers, unsigned threads) {
  array theirs(first_workers);
  for (array a(data);; a = a.next_array()) {
    if (theirs) {
      a.memory() = theirs.memory();
      a.memory_end() = theirs.memory_end();
      theirs = theirs.next_array();
    } else {
      a.allocate(threads);
    }
    a.is_first() = 0;
    if (a.next() != 0) continue;
    a.next() = reinterpret_cast<word>(outer);
    break;
  }
  array(data).is_first() = 1;
}

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void GOMP_taskgroup_reduction_register(word* data) {
  task_state& me = self();
  register_reductions(data, reductions_around(me), nullptr, me.team->size);
  me.group->reductions = data;
}

void GOMP_taskgroup_reduction_unregister(word* data) { unregister_reductions(data); }

// Turns items[0] to items[count - 1] into the calling thread's copies of them. Stores the variables
// of the first `originals` items at items[count] and on.
void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** items) {
  const task_state& me = self();
  const array innermost(reductions_around(me));
  for (std::size_t i = 0; i < count; ++i) {
    const found_item found = find_item(innermost, reinterpret_cast<word>(items[i]), me.index);
    if (found.mine == 0 || (i < originals && found.original == 0)) {
      fatal("a task's in_reduction names a variable that no task_reduction around it names");
    }
    items[i] = reinterpret_cast<void*>(found.mine);
    if (i < originals) items[count + i] = reinterpret_cast<void*>(found.original);
  }
}

// Ends a worksharing construct with task reductions. The first thread of the team has combined all
// copies: it frees them, and all threads wait.
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  task_state& me = self();
  word* data = me.group->reductions;
  end_group(me);
  if (me.index == 0) unregister_reductions(data);
  if (!cancelled) team_barrier(me);
}

}  // extern "C"
