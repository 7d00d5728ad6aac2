// The functions of <doall/mpi.h> for c_form.c.
#include <doall/mpi_c.hpp>
