# The MPIs that are installed, for tests, examples and the bench of loops over ranks. The libraries
# know nothing of MPI: without any, these programs are left out.
#
# MPI_FLAVOURS: of openmpi and mpich, those that are there. Of each, PkgConfig::MPI_<flavour> and
# MPI_RUN_<flavour>, the command that takes a number of ranks and a program.
set(MPI_FLAVOURS "")
pkg_check_modules(MPI_openmpi QUIET IMPORTED_TARGET ompi-c)
pkg_check_modules(MPI_mpich QUIET IMPORTED_TARGET mpich)
find_program(DOALL_MPIRUN_openmpi NAMES mpirun.openmpi DOC "starts Open MPI's programs")
find_program(DOALL_MPIRUN_mpich NAMES mpirun.mpich DOC "starts MPICH's programs")
foreach(flavour openmpi mpich)
  if(MPI_${flavour}_FOUND AND DOALL_MPIRUN_${flavour})
    list(APPEND MPI_FLAVOURS ${flavour})
  endif()
endforeach()
# More ranks than CPUs, in a container's only account, none bound to a CPU.
set(MPI_RUN_openmpi ${DOALL_MPIRUN_openmpi} --allow-run-as-root --oversubscribe --bind-to none -n)
set(MPI_RUN_mpich ${DOALL_MPIRUN_mpich} -n)
# Open MPI 5 in a virtual environment (scripts/setup.sh mpi), for ranks that die: with its ULFM the
# others go on. MPI_OPENMPI5: where it is, if it is there.
find_path(DOALL_OPENMPI5 NAMES include/mpi-ext.h PATHS ${CMAKE_BINARY_DIR}/openmpi5 NO_DEFAULT_PATH
  DOC "Open MPI 5, for the tests of ranks that die")
if(DOALL_OPENMPI5)
  add_library(PkgConfig::MPI_openmpi5 INTERFACE IMPORTED)
  target_include_directories(PkgConfig::MPI_openmpi5 INTERFACE ${DOALL_OPENMPI5}/include)
  target_link_libraries(PkgConfig::MPI_openmpi5 INTERFACE ${DOALL_OPENMPI5}/lib/libmpi.so)
endif()
set(MPI_RUN_openmpi5 ${DOALL_OPENMPI5}/bin/mpirun --with-ft ulfm --allow-run-as-root --oversubscribe
  --bind-to none -n)
if(NOT MPI_FLAVOURS)
  message(STATUS "no MPI was found: the tests and the example of loops over ranks are left out")
endif()
add_custom_target(doall_mpi_programs)

# NAME-FLAVOUR for each MPI, of the sources, linked with `library`; for one alone with MPI FLAVOUR
# before them. Under sanitizers none: MPI is not
# built for them.
function(add_mpi_programs name library)
  if(DOALL_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "MPI" "")
  set(flavours ${MPI_FLAVOURS})
  if(ARG_MPI)
    set(flavours ${ARG_MPI})
  endif()
  foreach(flavour ${flavours})
    add_executable(${name}-${flavour} ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${name}-${flavour} PRIVATE ${library} PkgConfig::MPI_${flavour})
    add_dependencies(doall_mpi_programs ${name}-${flavour})
  endforeach()
endfunction()
