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

# The same in sanitizers' builds alone: in a release build the library reads each file's
# own headers, and so finds an #include that is missing.
function(precompile_headers_when_sanitized target)
  if(DOALL_SANITIZE)
    precompile_headers(${target})
  endif()
endfunction()

# The command and the benchmarks' drivers, which have only to be right: little
# optimisation, and the headers of the libraries that all of them use read once.
function(compile_driver target)
  optimise_little(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-g1>)
endfunction()

function(precompile_driver_headers target)
  precompile_headers(${target} <map> <sstream> <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
endfunction()

function(add_driver target)
  if(NOT TARGET driver_headers)  # an executable of no use but this: it owns them
    set(nothing ${PROJECT_BINARY_DIR}/driver_headers.cpp)
    file(CONFIGURE OUTPUT ${nothing} CONTENT "int main() {}\n")
    add_executable(driver_headers EXCLUDE_FROM_ALL ${nothing})
    target_link_libraries(driver_headers PRIVATE
      doall_engine fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11)
    compile_driver(driver_headers)
    precompile_driver_headers(driver_headers)
  endif()
  add_executable(${target} ${ARGN})
  compile_driver(${target})
  target_precompile_headers(${target} REUSE_FROM driver_headers)
endfunction()
