/* The sum of 1/k^2 up to a million over the ranks of an MPI job, from C: the digits of sum.c and
 * first.cpp, which run on one machine, for any ranks and threads. mpirun -n 4 sum_mpi
 *
 * Link it with one C++ file that has the line #include <doall/mpi_c.hpp>: mpi_functions.cpp. */
#include <doall/mpi.h>

#include <stdio.h>

static int add(void* context, int64_t first, int64_t last, void* view) {
  double* const sum = view;
  (void)context;
  for (int64_t k = first; k < last; ++k) {
    const double x = 1.0 / (double)k;
    *sum += x * x;
  }
  return 0;
}

static void combine(void* context, void* left, const void* right) {
  (void)context;
  *(double*)left += *(const double*)right;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  doall_mpi_world* w = doall_mpi_begin(MPI_COMM_WORLD);
  double sum = 0;
  const int ended = doall_mpi_reduce(w, 1, 1000001, &sum, sizeof sum, add, combine, NULL,
                                     &(doall_mpi_options){.between = "guided"});
  if (ended != 0) fprintf(stderr, "%s\n", doall_mpi_why(w));
  if (doall_mpi_rank(w) == 0) printf("%.17g\n", sum);
  doall_mpi_end(w);
  MPI_Finalize();
  return ended;
}
