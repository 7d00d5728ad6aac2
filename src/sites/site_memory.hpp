// Memory of a loop's last run, for schedules that remember (registry.hpp).
//
// A piece belongs to one site (site.hpp), one schedule with its parameters and one number of
// workers. A site lists its pieces. A piece is lent to one execution at a time: a second one, of
// another team or of a nowait loop that a quick worker has met again, runs without. Stale memory
// may cost speed, never an answer (schedule/schedule.hpp). Loops without a site of their own have
// no memory.
//
// Bounded by most_pieces, and by most_memory_bytes together; the least recently used make room. A
// loop that has its piece allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "schedule/grammar.hpp"
#include "sites/site_key.hpp"

namespace doall::team {

inline constexpr std::size_t most_pieces = 256;
inline constexpr std::size_t most_memory_bytes = std::size_t{32} << 20;

class loop_site;
class memory_piece;

// Borrows the piece. Null when the schedule remembers nothing, the worker is alone, the key is empty,
// the piece is already lent, or there is no memory for it. Any thread; takes a lock if the schedule remembers.
memory_piece* borrow_memory(const site_key& of, const schedules::spec& how,
                            std::uint32_t workers) noexcept;

// The piece's memory, for loop_context::memory.
void* bytes_of(memory_piece* piece);

// Whether it is what another process has left (choices.hpp).
bool is_loaded(const memory_piece* piece);

// Gives the piece back after the execution. Called by the thread that sees that all workers have
// left.
void give_back(memory_piece* piece);

// Calls see(schedule, workers, memory) for each piece of the site that is not lent, under the lock
// of all pieces.
using memory_visit = std::function<void(const schedules::spec&, std::uint32_t, const void*)>;
void each_memory(const loop_site& of, const memory_visit& see);

// Frees all pieces, before the sites are freed. Called when there is no other thread.
void free_memory();

}  // namespace doall::team
