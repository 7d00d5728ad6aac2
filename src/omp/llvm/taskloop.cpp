// taskloop, as Clang compiles it: one task as a pattern. Each piece is a copy of it with its own
// bounds.
#include <algorithm>
#include <cstring>

#include "base/arith.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/llvm/kmp_task.hpp"
#include "omp/llvm/trips.hpp"
#include "omp/region.hpp"

namespace doall::omp {
namespace {

// Copies what the compiler knows of private variables; `last` says whether the piece is the loop's
// last.
using copy_function = void (*)(kmp_task_t* to, kmp_task_t* from, std::int32_t last);

enum cut_by : std::int32_t { by_itself = 0, by_grainsize = 1, by_number = 2 };

// What a piece is made of.
struct pattern {
  kmp_task_t* of;
  copy_function copy;
  std::size_t lower_offset;  // of the bounds in the task, both included
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

void make_piece(const void* of, std::uint64_t piece, void* payload) {
  const auto& p = *static_cast<const pattern*>(of);
  const kmp_header& h = header_of(p.of);
  std::memcpy(payload, &h, h.all());
  kmp_task_t* t = task_behind(payload);
  place_shared(t);
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

// The pattern has been copied as often as needed: frees it without running it.
void drop_pattern(task_state& me, kmp_task_t* t) {
  begin_undeferred(me, header_of(t).engine, {});
  end_undeferred(me, header_of(t).engine);
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
  p.lower_offset = offset(lower);
  p.upper_offset = offset(upper);
  p.first = *lower;
  p.step = step;
  p.iterations = trips(static_cast<std::int64_t>(*lower), static_cast<std::int64_t>(*upper), step);
  if (grouped) begin_group(me);
  if (p.iterations != 0) {
    cut(p, by, amount, strict, me.team->size);
    task_options how = options_of(t);
    how.deferrable = deferrable;
    submit_pieces(
        me,
        {make_piece, &p, sizeof p, header_of(t).all(), alignof(kmp_header), run_kmp_task, p.pieces},
        how);
  }
  if (grouped) {
    end_group(me);
  } else {
    wait_for_children(me);  // the pattern must stay until all pieces are made
  }
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
