// Features of the standard that doall does not have yet: offloading to devices. A program that
// needs it ends with a message; it never half-works through a second runtime.
#include <cstdlib>
#include <string>

#include "base/env.hpp"
#include "omp/api.hpp"
#include "omp/fatal.hpp"

namespace doall::omp {

void fatal(std::string_view why) {
  base::warn(std::string(why) + "; it ends here");
  std::exit(EXIT_FAILURE);
}

void not_there_yet(std::string_view name, std::string_view the_program) {
  fatal(std::string(name) + " is not there yet: this program " + std::string(the_program));
}

}  // namespace doall::omp

// GCC's compiler passes arguments; all are ignored.
#define OFFLOADS(name) \
  void name(void) { doall::omp::not_there_yet(#name, "offloads to devices"); }

extern "C" {

OFFLOADS(GOMP_target)
OFFLOADS(GOMP_target_ext)
OFFLOADS(GOMP_target_data)
OFFLOADS(GOMP_target_data_ext)
OFFLOADS(GOMP_target_end_data)
OFFLOADS(GOMP_target_update)
OFFLOADS(GOMP_target_update_ext)
OFFLOADS(GOMP_target_enter_exit_data)

// A program with code for devices registers it when it is loaded, whether it ever offloads or not.
void GOMP_offload_register(void) {}
void GOMP_offload_register_ver(void) {}
void GOMP_offload_unregister(void) {}
void GOMP_offload_unregister_ver(void) {}

}  // extern "C"
