# What the three benchmarks of a shared machine have in common: idle, oversubscribed and
# noisy ask one set of lanes.
include_guard(GLOBAL)
set(NEIGHBOUR ${BENCH_FOLDER}/neighbour)
set(UFORALL ${BENCH_FOLDER}/kernels/uforall)

# Not a program: what add_lane() hangs its lanes on.
add_custom_target(doall-bench-neighbour)

add_library(doall_bench_neighbour_lane OBJECT ${UFORALL}/kernel.cpp ${NEIGHBOUR}/lane.cpp)
target_include_directories(doall_bench_neighbour_lane PUBLIC ${BENCH_INCLUDES})
target_compile_options(doall_bench_neighbour_lane PRIVATE ${LANE_FLAGS} -falign-functions=64)
set(LANE $<TARGET_OBJECTS:doall_bench_neighbour_lane>)

add_lane(neighbour serial "" ${NEIGHBOUR}/lane_serial.cpp ${UFORALL}/serial.cpp ${LANE})
add_lane(neighbour doall doall ${NEIGHBOUR}/lane_doall.cpp ${UFORALL}/doall.cpp ${LANE})
if(TBB_FOUND)
  add_lane(neighbour tbb TBB::tbb ${NEIGHBOUR}/lane_tbb.cpp ${UFORALL}/tbb.cpp ${LANE})
endif()
add_openmp_lanes(neighbour "${LANE}" ${NEIGHBOUR}/lane_openmp.cpp ${UFORALL}/omp.cpp)

add_library(doall_bench_neighbour STATIC
  ${NEIGHBOUR}/contenders.cpp ${NEIGHBOUR}/entrant.cpp ${NEIGHBOUR}/requests.cpp)
target_link_libraries(doall_bench_neighbour PUBLIC doall_bench_common)

function(add_neighbour_benchmark name)
  add_benchmark(${name} ${ARGN})
  target_link_libraries(doall-bench-${name} PRIVATE doall_bench_neighbour)
  add_dependencies(doall-bench-${name} doall-bench-neighbour)
  if(DOALL_TESTS)
    add_bench_test(${name})
  endif()
endfunction()
