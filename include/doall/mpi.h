/* doall over the ranks of an MPI job, for C11; C++ has <doall/mpi.hpp>, which says more.
 *
 *   #include <doall/mpi.h>
 *
 *   MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
 *   doall_mpi_world* w = doall_mpi_begin(MPI_COMM_WORLD);
 *   doall_mpi_for(w, 0, n, body, &job, NULL);                                 my block is mine
 *   doall_mpi_for(w, 0, n, body, &job, &(doall_mpi_options){.between = "guided"});  dealt by rank 0
 *   doall_mpi_end(w);
 *   MPI_Finalize();
 *
 * The binary interfaces of MPI differ, so the library has no part in this: one C++ file of the
 * program, compiled by the same MPI's mpicxx, has the functions:
 *
 *   #include <doall/mpi_c.hpp>
 *
 * All calls but doall_mpi_share and the four that say something of a world are collective: all
 * ranks make the same, in the same order, from the same places in the source.
 */
#ifndef DOALL_MPI_H
#define DOALL_MPI_H

#include <doall/doall.h>
#include <doall/mpi/c_interface.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of a communicator. */
typedef struct doall_mpi_world doall_mpi_world;

/* What a loop can be told. Null in its place, or in a member's: the default. */
typedef struct doall_mpi_options {
  /* How ranks share the loop; the same on all. Default: static, one block each; with costs
   * best-static. The others are dealt by rank 0. */
  const char* between;

  /* How a rank's workers share what the rank gets. Default: guided, or with one block each the
   * runtime's. */
  const char* inside;

  /* What iterations cost, the same on all ranks (doall.h makes them). */
  const doall_costs* costs;
} doall_mpi_options;

/* How a loop ended on all ranks, if not with 0 or with what this rank's own body returned. */
enum {
  DOALL_MPI_ELSEWHERE = -2, /* a body of another rank has stopped the loop */
  DOALL_MPI_WRONG = -3,     /* the call was wrong: this rank's options, or ranks' calls differ */
  DOALL_MPI_DIED = -4 /* a rank has died, and MPI let the others go on (ULFM): the world has no
                         more loops, and doall_mpi_dead says which one it was */
};

/* Null: there is no memory, or a rank of the communicator has died. */
doall_mpi_world* doall_mpi_begin(MPI_Comm comm);

/* Before MPI_Finalize(). */
void doall_mpi_end(doall_mpi_world* world);

int doall_mpi_rank(const doall_mpi_world* world);
int doall_mpi_size(const doall_mpi_world* world);

/* The rank that has died, the first one of several; -1: none, or MPI does not say it. */
int doall_mpi_dead(const doall_mpi_world* world);

/* Why the last loop did not end with 0, in words; "" if it did. Valid until the next one. */
const char* doall_mpi_why(const doall_mpi_world* world);

/* This rank's block of [first, last) under the default schedule: [*mine_first, *mine_last). Costs of
 * another number of iterations are reported on standard error, once, and not used. */
void doall_mpi_share(const doall_mpi_world* world, int64_t first, int64_t last,
                     const doall_costs* costs, int64_t* mine_first, int64_t* mine_last);

/* doall_mpi_for(world, first, last, body, context, options)
 *
 * Runs body(context, i) for every i in [first, last), each on one rank. Returns on all ranks when
 * all have run: 0. Once a body returns another number no rank gets more to do; then that is
 * returned where it was, if it is above 0 (else 1), and DOALL_MPI_ELSEWHERE on the other ranks. */
#define doall_mpi_for(...) doall_mpi_for_at(__FILE__, __LINE__, __VA_ARGS__)

/* The same with body(context, first, last) of ranges that together are [first, last). */
#define doall_mpi_for_range(...) doall_mpi_for_range_at(__FILE__, __LINE__, __VA_ARGS__)

/* doall_mpi_reduce(world, first, last, result, size, body, combine, context, options)
 *
 * As doall_reduce, with the result on all ranks, and the same bits for any number of ranks and
 * threads. *result holds the identity before, the same on all ranks; it is left so if not all has
 * run. A structure with padding must be cleared before it is filled. */
#define doall_mpi_reduce(...) doall_mpi_reduce_at(__FILE__, __LINE__, __VA_ARGS__)

int doall_mpi_for_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                     int64_t last, doall_index_body body, void* context,
                     const doall_mpi_options* options);
int doall_mpi_for_range_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                           int64_t last, doall_range_body body, void* context,
                           const doall_mpi_options* options);
int doall_mpi_reduce_at(const char* file, uint32_t line, doall_mpi_world* world, int64_t first,
                        int64_t last, void* result, size_t size, doall_reduce_body body,
                        doall_combine combine, void* context, const doall_mpi_options* options);

#ifdef __cplusplus
}
#endif

#endif
