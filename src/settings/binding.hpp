// Where threads are bound, from the environment.
#pragma once

#include "settings/settings.hpp"

namespace doall::team {

// Chooses `places`, `pinned`, `spread`, `on_one_place` and `reset_cpus`. Warns of bad values, which
// count as unset.
void bind_from_environment(settings& s);

}  // namespace doall::team
