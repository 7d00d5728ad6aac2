// How many workers the loops have that a thread starts in an iteration (doall_set_threads).
//
// Loops inside another one are limited by its frame (steal/frame.hpp). So a number that is set in
// an iteration gets a frame of its own, a **scope**: it lies between the loop around and those that
// the thread starts from now on, and has no parts. Loops that the thread is in already stay as they
// are: thieves take what is left of these meanwhile.
//
// A number N includes the thread itself. Thieves are limited by their numbers: N - 1 of them are
// below N, if the thread's own is; else N - 1 are below N - 1. For N = 1 there is none.
//
// A scope lasts until a number is set in the same iteration, or that iteration's stay ends. The
// thread keeps its scopes as a stack, and gives the last ones back once no stay of its own is in
// one of them. (A group of tasks may have begun in a scope and last longer.)
#pragma once

#include <cstdint>

#include "threads/stealing.hpp"

namespace doall::native {

// Called in an iteration: from now on loops have so many workers; 0: as many as the loop around.
void set_scope(team::stealer& me, std::uint32_t threads);

// Called in an iteration: the most workers that a loop has which the thread starts there.
std::uint32_t most_inside(const team::stealer& me);

}  // namespace doall::native
