// The experiments of `doall bench`; driver/main.cpp has their names. Each takes the arguments after
// its name, and throws what main() turns into a message and a status.
#pragma once

#include "cli/command.hpp"

namespace doall::bench {

void run_afs(const cli::arguments& args);
void run_burden(const cli::arguments& args);
void run_cows(const cli::arguments& args);
void run_envelope(const cli::arguments& args);
void run_hybrid(const cli::arguments& args);
void run_idle(const cli::arguments& args);
void run_lbs(const cli::arguments& args);
void run_nests_experiment(const cli::arguments& args);
void run_noisy(const cli::arguments& args);
void run_omp(const cli::arguments& args);
void run_oversubscribed(const cli::arguments& args);
void run_programs(const cli::arguments& args);
void run_recursion(const cli::arguments& args);
void run_reduce(const cli::arguments& args);
void run_tasks(const cli::arguments& args);
void run_variability(const cli::arguments& args);

}  // namespace doall::bench
