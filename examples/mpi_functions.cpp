// The one C++ file of a C program that shares loops among MPI ranks (sum_mpi.c).
#include <doall/mpi_c.hpp>
