// Memory of a loop's last run, for schedules that remember (registry.hpp).
//
// A piece belongs to one loop of the source (the address of its code), one
// schedule with its parameters and one number of workers. It is lent to one
// execution at a time: a second one, of another team or of a nowait loop that a
// quick worker has met again, runs without. If a library is unloaded and another
// loop is found at its address, it finds stale memory, which may cost speed and
// never an answer (schedule/schedule.hpp).
//
// Bounded: most_pieces; the one that was not used for longest makes room.
// Nothing is allocated for a loop that has its piece already.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schedule/grammar.hpp"

namespace doall::team {

inline constexpr std::size_t most_pieces = 256;

class memory_piece;

// Null when the schedule remembers nothing, or its piece is lent already. Any
// thread; takes a lock.
memory_piece* borrow_memory(const void* code, const schedules::spec& how, std::uint32_t workers);

// What a schedule gets as loop_context::memory.
void* bytes_of(memory_piece* piece);

// The execution is over. Any thread, the one that sees all workers have left.
void give_back(memory_piece* piece);

}  // namespace doall::team
