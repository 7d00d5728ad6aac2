# Half of the time of a build from nothing went into headers of libraries, into optimising
# code that runs once, and into what debuggers know of templates. The libraries that ship keep
# all of it, what is measured is optimised.

# In this folder and below, where nothing ships that a user would step through.
macro(only_lines_for_debuggers)
  add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)
endmacro()

# Code that runs for moments, and calls the engine's, which is optimised: a third of the time.
function(optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

# The standard headers, and those named, read once for a target.
function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <chrono> <cmath>
    <filesystem> <fstream> <functional> <memory> <mutex> <optional> <span> <string> <thread>
    <vector> ${ARGN})
endfunction()

# Eight files are compiled as one, in about half of the time. So what a file keeps to itself has a
# name of its own, and an #include that is missing shows where each is read by itself, with its own
# headers: `make includes`.
function(compile_together target)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes what is included for a header, in which such a type would be a mistake.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# Both for the libraries.
function(precompile_library_headers target)
  precompile_headers(${target} ${ARGN})
  compile_together(${target})
endfunction()

# The flags of an executable, also for a library: what one has precompiled, the others reuse.
function(share_headers target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIE)
endfunction()

# The command and the benchmarks' driver, which have only to be right: little optimisation, and the
# headers of the libraries that all of them use read once, by `doall_text`. CLI11 is not
# among these headers: its constants are compiled into every file that includes it.
function(compile_driver target)
  optimise_little(${target})
  share_headers(${target})
  compile_together(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1>)
  target_link_libraries(${target} PRIVATE doall_engine
    $<IF:$<BOOL:${DOALL_FMT_INSIDE}>,fmt::fmt-header-only,fmt::fmt> nlohmann_json::nlohmann_json)
  if(TARGET doall_text AND NOT target STREQUAL doall_text)
    target_precompile_headers(${target} REUSE_FROM doall_text)
  else()
    precompile_headers(${target} <map> <sstream> <fmt/format.h> <nlohmann/json.hpp>)
  endif()
endfunction()
