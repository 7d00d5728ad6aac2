// What subcommands in virtual time read: files, and models of machines.
#pragma once

#include <optional>
#include <string>

#include "sim/machine.hpp"

namespace doall::cli {

// The whole file; nothing if it cannot be read.
std::optional<std::string> text_of(const std::string& file);

// The machine of that name, or of that file. Throws std::invalid_argument.
sim::machine find_machine(const std::string& name);

// " 2x64 4x36 ...", for a help.
std::string names_of_machines();

}  // namespace doall::cli
