// Memory of a loop's last run, for schedules that remember (registry.hpp).
//
// A piece belongs to one loop of the source (the address of its code), one
// schedule with its parameters and one number of workers. It is lent to one
// execution at a time: a second one, of another team or of a nowait loop that a
// quick worker has met again, runs without. If a library is unloaded and another
// loop is found at its address, it finds stale memory, which may cost speed and
// never an answer (schedule/schedule.hpp).
//
// Bounded: most_pieces, and most_memory_bytes together; those that were not used for
// longest make room. Nothing is allocated for a loop that has its piece already.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/grammar.hpp"

namespace doall::team {

inline constexpr std::size_t most_pieces = 256;
inline constexpr std::size_t most_memory_bytes = std::size_t{32} << 20;

class memory_piece;

// Null when the schedule remembers nothing, or the worker is alone, or the piece is
// lent already, or there is no memory for it. Any thread; takes a lock.
memory_piece* borrow_memory(const void* code, const schedules::spec& how,
                            std::uint32_t workers) noexcept;

// What a schedule gets as loop_context::memory.
void* bytes_of(memory_piece* piece);

// The execution is over. Any thread, the one that sees all workers have left.
void give_back(memory_piece* piece);

}  // namespace doall::team
