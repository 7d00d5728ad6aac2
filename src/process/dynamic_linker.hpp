// Asks the dynamic linker what it would load into a program under `doall run`.
#pragma once

#include <string>
#include <vector>

#include "process/program.hpp"

namespace doall::cli {

// The lines that it prints, as "libgomp.so.1 => /lib/libgomp.so.1 (0x00007f...)". Nothing of the
// program runs. For a library, or a program that it loads at all: an ELF file with an interpreter.
std::vector<std::string> linker_lines(const program_file& program);

// The first line that says why it cannot load something; empty: there is none.
std::string linker_complaint(const program_file& program);

}  // namespace doall::cli
