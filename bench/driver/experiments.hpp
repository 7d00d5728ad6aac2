// The experiments of `doall bench`, each main() of its own; driver/main.cpp has their names.
#pragma once

namespace doall::bench {

int run_afs(int argc, char** argv);
int run_burden(int argc, char** argv);
int run_cows(int argc, char** argv);
int run_envelope(int argc, char** argv);
int run_hybrid(int argc, char** argv);
int run_idle(int argc, char** argv);
int run_lbs(int argc, char** argv);
int run_nests_experiment(int argc, char** argv);
int run_noisy(int argc, char** argv);
int run_oversubscribed(int argc, char** argv);
int run_programs(int argc, char** argv);
int run_recursion(int argc, char** argv);
int run_reduce(int argc, char** argv);
int run_variability(int argc, char** argv);

}  // namespace doall::bench
