// The functions of <doall/mpi.h>: include this in one C++ file of the program, compiled by its
// MPI's mpicxx. They are the loops of <doall/mpi.hpp>; a body's verdict travels as an exception.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/mpi.h>
#include <doall/mpi.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

struct doall_mpi_world {
  explicit doall_mpi_world(MPI_Comm comm) : ranks(comm) {}

  doall::mpi::world ranks;
  std::string why;
  int dead = -1;
};

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// Where a C program calls a loop.
struct c_place {
  const char* file;
  std::uint32_t line;
};

// A body has stopped the loop.
struct c_stop : std::runtime_error {
  explicit c_stop(int of)
      : std::runtime_error("its body returned " + std::to_string(of)), verdict(of) {}
  int verdict;
};

inline void check_verdict(int verdict) {
  if (verdict != 0) throw c_stop(verdict);
}

template <class Body>
loop_end on_workers(const c_place& where, std::uint64_t first, std::uint64_t last,
                    const doall::loop_options& options, const Body& body) {
  struct shared {
    const Body& body;
    first_failure failure;

    static int run(void* self, std::int64_t begin, std::int64_t end) noexcept {
      auto& all = *static_cast<shared*>(self);
      try {
        all.body(doall::range<std::uint64_t>(static_cast<std::uint64_t>(begin),
                                             static_cast<std::uint64_t>(end)));
        return 0;
      } catch (...) {
        all.failure.keep(std::current_exception());
        return 1;
      }
    }
  } all{body, {}};
  doall_options how{};
  how.schedule = options.how.raw();
  doall_for_range_at(where.file, where.line, nullptr, static_cast<std::int64_t>(first),
                     static_cast<std::int64_t>(last), shared::run, &all, &how);
  if (all.failure.kept()) std::rethrow_exception(all.failure.kept());
  return loop_end::completed;
}

inline loop_options c_options(const doall_mpi_options* given) {
  loop_options options;
  if (given != nullptr && given->between != nullptr) options.between = given->between;
  if (given != nullptr && given->inside != nullptr) options.inside = given->inside;
  return options;
}

inline int c_died(doall_mpi_world* w, const rank_died& e) {
  w->why = e.what();
  w->dead = e.rank();
  return DOALL_MPI_DIED;
}

inline const doall_costs* costs_in(const doall_mpi_options* given) {
  return given != nullptr ? given->costs : nullptr;
}

// Runs piece(begin, end) on parts of [0, mine.iterations), as `run` of a loop's door. of(costs)
// gives the iterations' costs from those of the indices, which are told.
template <class Piece, class Costs>
int c_run(doall_mpi_world* w, const call& mine, const doall_mpi_options* given, const Costs& of,
          const c_place& where, const Piece& piece) {
  const doall_costs* const told = costs_in(given);
  w->why.clear();
  try {
    door::run(
        w->ranks, mine, c_options(given), told != nullptr,
        [&]() -> const doall_costs* {
          if (told == nullptr) return nullptr;
          check_costs(*told, mine.indices);
          return of(told);
        },
        [&](std::uint64_t begin, std::uint64_t end, const auto&) {
          piece(begin, end);
          return loop_end::completed;
        },
        where);
    return 0;
  } catch (const c_stop& e) {
    w->why = "doall::mpi: " + std::string(e.what());
    return e.verdict > 0 ? e.verdict : 1;
  } catch (const rank_failed& e) {
    w->why = e.what();
    return DOALL_MPI_ELSEWHERE;
  } catch (const rank_died& e) {
    return c_died(w, e);
  } catch (const std::exception& e) {
    w->why = e.what();
    return DOALL_MPI_WRONG;
  }
}

inline call c_call(call_kind kind, const c_place& where, std::int64_t first, std::int64_t last) {
  call mine = describe(kind, where.file, where.line, 0);
  mine.first = static_cast<std::uint64_t>(first);
  mine.iterations = mine.indices = doall_c_distance(first, last);
  return mine;
}

// Runs piece(begin, end) on ranges that together are [first, last).
template <class Piece>
int c_for(doall_mpi_world* w, const c_place& where, std::int64_t first, std::int64_t last,
          const doall_mpi_options* options, const Piece& piece) {
  const call mine = c_call(call_kind::loop, where, first, last);
  return c_run(
      w, mine, options, [](const doall_costs* costs) { return costs; }, where,
      [&](std::uint64_t begin, std::uint64_t end) {
        piece(first + static_cast<std::int64_t>(begin), first + static_cast<std::int64_t>(end));
      });
}

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall

extern "C" {

doall_mpi_world* doall_mpi_begin(MPI_Comm comm) {
  try {
    return new (std::nothrow) doall_mpi_world(comm);
  } catch (const std::exception&) {
    return nullptr;
  }
}
void doall_mpi_end(doall_mpi_world* world) { delete world; }
int doall_mpi_rank(const doall_mpi_world* world) { return world->ranks.rank(); }
int doall_mpi_size(const doall_mpi_world* world) { return world->ranks.size(); }
int doall_mpi_dead(const doall_mpi_world* world) { return world->dead; }
const char* doall_mpi_why(const doall_mpi_world* world) { return world->why.c_str(); }

void doall_mpi_share(const doall_mpi_world* world, int64_t first, int64_t last,
                     const doall_costs* costs, int64_t* mine_first, int64_t* mine_last) {
  namespace here = doall::mpi::detail;
  const std::uint64_t iterations = doall_c_distance(first, last);
  const doall_chunk block = here::door::block_of(
      world->ranks, doall::schedule(costs != nullptr ? "best-static" : "static"), iterations,
      costs);
  *mine_first = first + static_cast<int64_t>(block.begin);
  *mine_last = first + static_cast<int64_t>(block.end);
}

int doall_mpi_for_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                     int64_t last, doall_index_body body, void* context,
                     const doall_mpi_options* options) {
  namespace here = doall::mpi::detail;
  return here::c_for(world, {file, line}, first, last, options, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) here::check_verdict(body(context, i));
  });
}

int doall_mpi_for_range_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                           int64_t last, doall_range_body body, void* context,
                           const doall_mpi_options* options) {
  namespace here = doall::mpi::detail;
  return here::c_for(world, {file, line}, first, last, options, [&](int64_t begin, int64_t end) {
    here::check_verdict(body(context, begin, end));
  });
}

int doall_mpi_reduce_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                        int64_t last, void* result, size_t size, doall_reduce_body body,
                        doall_combine combine, void* context, const doall_mpi_options* options) {
  namespace here = doall::mpi::detail;
  const here::c_place where{file, line};
  here::call mine = here::c_call(here::call_kind::reduction, where, first, last);
  doall_c_loop loop{};
  loop.by_block = body;
  loop.combine = combine;
  loop.context = context;
  loop.first = first;
  loop.stride = 1;
  loop.cut = doall_cut_of(mine.indices, size);
  loop.identity = result;
  loop.size = size;
  constexpr std::size_t alignment = 16;  // as in doall_reduce
  loop.view_bytes = (size + sizeof(std::uint64_t) + alignment - 1) / alignment * alignment;
  const std::size_t bytes = loop.cut.blocks * loop.view_bytes;
  const auto views = std::make_unique<std::byte[]>(bytes);  // zero: not this rank's
  loop.views = reinterpret_cast<unsigned char*>(views.get());
  mine.iterations = loop.cut.blocks;
  mine.value_bytes = size;
  doall_block_costs of_blocks;
  const int ended = here::c_run(
      world, mine, options,
      [&](const doall_costs* costs) { return doall_block_costs_make(&of_blocks, loop.cut, costs); },
      where,
      [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t b = begin; b < end; ++b) {
          here::check_verdict(doall_c_chunk(&loop, b, b + 1));
        }
      });
  if (ended != 0 || loop.cut.blocks == 0) return ended;
  try {
    here::door::exchange(world->ranks, loop.views, bytes);
  } catch (const doall::mpi::rank_died& e) {
    return here::c_died(world, e);
  }
  doall_c_finish(&loop);
  std::memcpy(result, loop.views, size);
  return 0;
}

}  // extern "C"
