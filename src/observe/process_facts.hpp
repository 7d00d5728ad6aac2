// What this process says of itself in its report: since when it runs, as what, on how many CPUs and
// with which settings.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "observe/record.hpp"

namespace doall::observe {

// As they are now. The CPUs are those that it had when the library was loaded: OpenMP may have
// bound the calling thread since. In the child of a fork the time is since the fork.
process_facts facts_of_this_process(std::uint32_t threads);

// As a shell takes them.
std::string command_text(std::span<const std::string> words);

}  // namespace doall::observe
