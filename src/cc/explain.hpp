// doall cc --explain: the compiler runs for what the plugin has to say, and writes no file.
#pragma once

#include "process/child.hpp"

namespace doall::cli {

// The command line as it explains loops: without the options by which the compiler writes files.
// Settings that are usual come first: those that are given count. Throws failure.
arguments writing_nothing(const arguments& given);

// The variables by which the compiler writes files, to unset.
environment_changes variables_writing_nothing();

// Runs the compiler once for each source, since there is one output for all. Returns the first
// status that is no success, or 0.
int run_for_each_source(const launch& what);

}  // namespace doall::cli
