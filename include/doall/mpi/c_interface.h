/* MPI's interface for C alone. That for C++, which MPI no longer has, would want libraries.
 *
 * DOALL_MPI_ULFM: a rank that dies need not end the job (User Level Failure Mitigation, the
 * extension of Open MPI 5). */
#ifndef DOALL_MPI_C_INTERFACE_H
#define DOALL_MPI_C_INTERFACE_H

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
#define DOALL_MPI_ULFM 1
#else
#define DOALL_MPI_ULFM 0
#endif

#endif
