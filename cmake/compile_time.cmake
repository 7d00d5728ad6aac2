# Half of the time of a build from nothing went into headers of libraries and into
# optimising code that runs once. What ships in the libraries and what is measured keeps both.

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
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1;-g1>)
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
