// Turns a templated loop into the descriptor that doall_run takes.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/costs.hpp>
#include <doall/detail/callee.hpp>
#include <doall/detail/loop_body.hpp>
#include <doall/detail/open_loops.hpp>
#include <doall/options.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// What the runtime is told about a loop.
struct loop_facts {
  std::uint64_t iterations;
  std::uint64_t indices;     // how many of the program's indices the iterations stand for
  const doall_costs* costs;  // null: unknown
  const std::source_location& where;
  std::uint64_t first = 0;  // those before it have run
};

// Has the workers run a guarded piece, `body`, on parts of [0, iterations). Its copy lies in one
// cache line.
inline loop_end share_body(const loop_type& type, const loop_facts& loop,
                           const loop_options& options, doall_site& site, loop_state** body) {
  loop_state state(type.body, &options.stop);
  tell_state(body, state);
  alignas(most_bytes_copied) unsigned char copy[most_bytes_copied];
  for (std::size_t at = 0; at < type.copied; at += sizeof(void*))
    std::memcpy(copy + at, reinterpret_cast<const unsigned char*>(body) + at, sizeof(void*));
  const bool may_stop = options.stop.stop_possible();
  const doall_loop descriptor{sizeof(doall_loop),
                              loop.where.line(),
                              loop.iterations,
                              may_stop ? type.stoppable : type.body,
                              type.copied != 0 ? static_cast<void*>(copy) : body,
                              options.how.raw(),
                              loop.where.file_name(),
                              loop.where.function_name(),
                              nullptr,
                              type.combine,
                              loop.costs,
                              loop.indices,
                              may_stop ? nullptr : &site,
                              type.copied,
                              type.join,
                              loop.first};
  // Before the loop runs: all that is nested in this one can then run without the runtime.
  if (!is_this_thread(this_thread)) this_thread = doall_thread_here();
  const int said = doall_run(&descriptor);
  state.rethrow_failure();
  return said == go_on ? loop_end::completed : loop_end::stopped;
}

// Has the workers run piece(begin, end, stop) on parts of [0, iterations).
template <class Piece>
loop_end share(const loop_facts& loop, const loop_options& options, doall_site& site,
               const Piece& piece) {
  guarded<Piece> body{nullptr, piece};
  return share_body(type_of<Piece>, loop, options, site, &body.state);
}

// Runs piece(begin, end, stop) on the cut's blocks, each an iteration: on this thread if the loop
// is nested or short.
template <class Piece>
loop_end run_by_blocks(const doall_cut& cut, const Piece& piece, const index_costs& costs,
                       const loop_options& options, const std::source_location& where) {
  const std::uint64_t indices = doall_cut_begin(cut, cut.blocks);
  doall_site& site = site_of<Piece>;
  if (is_one_piece(site, indices, options) || is_plain(site, indices, options)) {
    return piece(std::uint64_t{0}, cut.blocks, never_stopped{});
  }
  doall_block_costs of_blocks;
  return share({cut.blocks, indices, costs.of_blocks(of_blocks, cut), where}, options, site, piece);
}

// Not inlined: its stack would lie under all loops inside this one. For the options' costs,
// iteration i is the index first_index + i stride.
[[gnu::noinline]] inline loop_end run_by_runtime(const loop_type& type, std::uint64_t iterations,
                                                 loop_state** body, std::uint64_t first_index,
                                                 std::uint64_t stride, const loop_options& options,
                                                 const std::source_location& where,
                                                 std::uint64_t first) {
  const told_costs costs(options.costs, iterations, first_index, stride, type.counts_signed);
  return share_body(type, {iterations, iterations, costs.raw(), where, first}, options,
                    *type.open.site, body);
}

// The same, but the encountering thread runs a nested loop, or a short one, immediately.
template <class Piece>
[[gnu::always_inline]] inline loop_end run(std::uint64_t iterations, Piece piece,
                                           std::uint64_t first_index, std::uint64_t stride,
                                           const loop_options& options,
                                           const std::source_location& where) {
  guarded<Piece> body{nullptr, std::move(piece)};
  std::uint64_t first = 0;
  if (run_here(site_of<Piece>, iterations, options, body, first)) return loop_end::completed;
  return run_by_runtime(type_of<Piece>, iterations, &body.state, first_index, stride, options,
                        where, first);
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
