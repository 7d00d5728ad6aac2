# What lbs and hybrid have in common: but for the lanes, everything. cows has the library alone.
include_guard(GLOBAL)
set(STEALING ${BENCH_FOLDER}/stealing)

add_library(doall_bench_stealing STATIC
  ${STEALING}/benchmark.cpp ${STEALING}/comparison.cpp ${STEALING}/pace.cpp
  ${STEALING}/paced_measurement.cpp ${STEALING}/report.cpp ${STEALING}/verdict.cpp
  ${BENCH_FOLDER}/programs/contenders.cpp ${BENCH_FOLDER}/programs/measurement.cpp)
target_link_libraries(doall_bench_stealing PUBLIC doall_bench_common)
compile_driver(doall_bench_stealing)
target_precompile_headers(doall_bench_stealing REUSE_FROM doall_bench_common)

# Lanes of the folder that calls: each kernel's doors, and `work`, what all doors run. More
# sources are the command's own.
function(add_stealing_benchmark name work doall_doors openmp_doors tbb_doors)
  foreach(doors doall_doors openmp_doors tbb_doors)
    list(TRANSFORM ${doors} PREPEND ${BENCH_FOLDER}/)
  endforeach()
  add_benchmark(${name} main.cpp ${ARGN})
  target_link_libraries(doall-bench-${name} PRIVATE doall_bench_stealing)
  add_lane(${name} doall doall lane_doall.cpp ${doall_doors} ${work})
  if(TBB_FOUND)
    add_lane(${name} tbb TBB::tbb lane_tbb.cpp ${tbb_doors} ${work})
  endif()
  add_openmp_lanes(${name} "${work}" lane_openmp.cpp ${openmp_doors})
  if(DOALL_TESTS)
    add_bench_test(${name})
  endif()
endfunction()
