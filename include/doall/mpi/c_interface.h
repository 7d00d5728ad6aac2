/* MPI's interface for C alone. That for C++, which MPI no longer has, would want libraries. */
#ifndef DOALL_MPI_C_INTERFACE_H
#define DOALL_MPI_C_INTERFACE_H

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#endif
