// Choices that outlive the process: which sites there are to save, and those that an earlier run
// has left (choice_file.hpp).
//
// A site is known by the file that holds its code, the code's place in it, and the source's file
// and line, if the loop tells them: so it is found wherever that file is loaded. A loaded choice is
// frozen (small_loops.hpp), and so are loaded cuts. Choices for teams of another size are not
// taken, nor is a file that cannot be read: that is said once, and loops choose as usual.
//
// State: what was loaded, which nobody changes; and for saving a list of the sites, under a lock.
// Callers: any thread. Cost: nothing unless one of the two variables is set, but for one load when
// a site is made; then a look into the loader's tables for each site.
#pragma once

#include <cstdint>

#include "schedule/grammar.hpp"

namespace doall::team {

class loop_site;

// A site was met for the first time, perhaps by several threads: gives it the choice that was
// loaded, and notes it for the end. Called without a lock.
void note_met(loop_site& site);

// Puts the cuts that were loaded into new memory of the site, for that schedule and team. False:
// there are none.
bool load_cuts(const loop_site& site, const schedules::spec& how, std::uint32_t workers,
               void* memory);

// Leaves the process's choices, if they are asked for; else allocates nothing. Called once, when
// the process ends.
void write_choices_at_exit();

}  // namespace doall::team
