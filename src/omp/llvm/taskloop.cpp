// taskloop, as Clang compiles it: one task as a pattern. Each piece is a copy of it with its own
// bounds.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/arith.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/llvm/kmp_task.hpp"
#include "omp/llvm/trips.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/region.hpp"

namespace doall::omp {
namespace {

// Copies what the compiler knows of private variables; `last` says whether the piece is the loop's
// last.
using copy_function = void (*)(kmp_task_t* to, kmp_task_t* from, std::int32_t last);

enum cut_by : std::int32_t { by_itself = 0, by_grainsize = 1, by_number = 2 };

// What a piece is made of.
struct pattern {
  kmp_task_t* of;  // null: its bytes lie behind this
  copy_function copy;
  std::size_t bytes;          // of a task's payload
  std::size_t shared_offset;  // of the pointers to shared variables in the task; 0: there are none
  std::size_t lower_offset;   // of the bounds in the task, both included
  std::size_t upper_offset;
  std::uint64_t first;
  std::int64_t step;
  std::uint64_t iterations;
  std::uint64_t size;    // iterations of a piece;
  std::uint64_t larger;  // of that many, one more
  std::uint64_t pieces;
};

void cut(pattern& p, std::int32_t by, std::uint64_t amount, bool strict, std::uint64_t workers) {
  const std::uint64_t n = p.iterations;
  amount = std::max<std::uint64_t>(amount, 1);
  if (by == by_grainsize && strict) {
    p.size = std::min(amount, n);
    p.pieces = base::ceil_div(n, p.size);
    p.larger = 0;
    return;
  }
  constexpr std::uint64_t pieces_each = 10;
  const std::uint64_t wanted = by == by_grainsize ? n / amount
                               : by == by_number  ? amount
                                                  : workers * pieces_each;
  p.pieces = std::clamp<std::uint64_t>(wanted, 1, n);
  p.size = n / p.pieces;
  p.larger = n % p.pieces;
}

void make_piece(const pattern& p, std::uint64_t piece, void* payload) {
  const void* header = p.of != nullptr ? static_cast<const void*>(&header_of(p.of)) : &p + 1;
  std::memcpy(payload, header, p.bytes);
  kmp_task_t* t = task_behind(payload);
  if (p.shared_offset != 0) t->shared = reinterpret_cast<std::byte*>(t) + p.shared_offset;
  const std::uint64_t begin = piece * p.size + std::min(piece, p.larger);
  const std::uint64_t size = p.size + (piece < p.larger ? 1 : 0);
  const std::uint64_t end = base::add_up_to(begin, size, p.iterations);
  auto* bytes = reinterpret_cast<std::byte*>(t);
  const std::uint64_t lower = at_iteration(p.first, begin, p.step);
  const std::uint64_t upper = at_iteration(p.first, end - 1, p.step);
  if (p.copy != nullptr) p.copy(t, p.of, piece + 1 == p.pieces ? 1 : 0);
  std::memcpy(bytes + p.lower_offset, &lower, sizeof lower);
  std::memcpy(bytes + p.upper_offset, &upper, sizeof upper);
}

void run_piece(const void* of, std::uint64_t piece, void* payload) {
  make_piece(*static_cast<const pattern*>(of), piece, payload);
  run_kmp_task(payload);
}

// Hands all pieces over. Unless the caller waits for them, the pattern's bytes go along.
void submit(task_state& me, pattern p, const task_options& how, bool waits) {
  const kmp_routine routine = p.of->routine;
  const kmp_header& h = header_of(p.of);
  std::vector<std::byte> bytes(sizeof p + (waits ? 0 : h.all()));
  if (!waits) {
    p.of = nullptr;
    std::memcpy(bytes.data() + sizeof p, &h, h.all());
  }
  std::memcpy(bytes.data(), &p, sizeof p);
  submit_pieces(me,
                {run_piece, bytes.data(), bytes.size(), h.all(), alignof(kmp_header), p.pieces,
                 reinterpret_cast<const void*>(routine)},
                how);
}

// Makes the pieces one after the other: to execute them here, because a tool is told of each, or
// because the pattern ends before they do.
void make_all(task_state& me, const pattern& p, const task_options& how) {
  for (std::uint64_t piece = 0; piece < p.pieces; ++piece) {
    task* t = make_task(me, run_kmp_task, header_of(p.of).all(), alignof(kmp_header), how);
    make_piece(p, piece, payload_of(t));
    if (how.deferrable && !is_included(me))
      submit_task(me, t);
    else
      run_undeferred(me, t);
  }
}

// The pattern has been copied as often as needed: frees it without running it.
void drop_pattern(task_state& me, kmp_task_t* t) {
  const kmp_header& h = header_of(t);
  begin_undeferred(me, h.engine);
  if ((h.flags & kmp_task_destructors) != 0) t->destructors.destructors(global_thread_number(), t);
  end_undeferred(me, h.engine);
}

void taskloop(kmp_task_t* t, bool deferrable, std::uint64_t* lower, const std::uint64_t* upper,
              std::int64_t step, bool grouped, std::int32_t by, std::uint64_t amount, bool strict,
              void* copy) {
  task_state& me = self();
  const auto offset = [&](const void* place) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(place) -
                                    reinterpret_cast<const std::byte*>(t));
  };
  pattern p{};
  p.of = t;
  p.copy = reinterpret_cast<copy_function>(copy);
  const kmp_header& h = header_of(t);
  p.bytes = h.all();
  p.shared_offset = h.shared_bytes != 0 ? h.bytes : 0;
  p.lower_offset = offset(lower);
  p.upper_offset = offset(upper);
  p.first = *lower;
  p.step = step;
  p.iterations = trips(static_cast<std::int64_t>(*lower), static_cast<std::int64_t>(*upper), step);
  // Without a copy function the bytes are the pattern. With one its objects must stay as they are
  // until all pieces are made: if nobody waits for these, the caller makes them.
  const bool made_here = !grouped && p.copy != nullptr;
  ompt::work_begins(ompt_work_taskloop, p.iterations);
  if (grouped) ompt::group_begins(me);
  if (p.iterations != 0) {
    cut(p, by, amount, strict, me.team->size);
    task_options how = options_of(t);
    how.deferrable = deferrable;
    // With a priority each task is queued by itself.
    if (!deferrable || is_included(me) || ompt::is_watched() || made_here ||
        counted_priority(how.priority) != 0) {
      make_all(me, p, how);
    } else {
      submit(me, p, how, grouped);
    }
  }
  if (grouped) ompt::group_ends(me);
  ompt::work_ends(ompt_work_taskloop);
  drop_pattern(me, t);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void __kmpc_taskloop(ident_t*, gtid_t, kmp_task_t* t, std::int32_t if_value, std::uint64_t* lower,
                     std::uint64_t* upper, std::int64_t step, std::int32_t no_group,
                     std::int32_t by, std::uint64_t amount, void* copy) {
  taskloop(t, if_value != 0, lower, upper, step, no_group == 0, by, amount, false, copy);
}
void __kmpc_taskloop_5(ident_t*, gtid_t, kmp_task_t* t, std::int32_t if_value, std::uint64_t* lower,
                       std::uint64_t* upper, std::int64_t step, std::int32_t no_group,
                       std::int32_t by, std::uint64_t amount, std::int32_t strict, void* copy) {
  taskloop(t, if_value != 0, lower, upper, step, no_group == 0, by, amount, strict != 0, copy);
}

}  // extern "C"
