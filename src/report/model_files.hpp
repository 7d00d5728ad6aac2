// What subcommands in virtual time read: models of machines.
#pragma once

#include <string>

#include "sim/machine.hpp"

namespace doall::cli {

// The machine of that name, or of that file. Throws std::invalid_argument.
sim::machine find_machine(const std::string& name);

// " 2x64 4x36 ...", for a help.
std::string names_of_machines();

}  // namespace doall::cli
