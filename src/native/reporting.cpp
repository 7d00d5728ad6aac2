// The native door: what a program says to the report, and asks of it.
#include <cerrno>

#include "doall/abi.h"
#include "observe/site.hpp"
#include "observe/waits.hpp"
#include "settings/settings.hpp"

using namespace doall;

extern "C" {

int doall_report_begin(void) { return observe::count_loops() ? 0 : -1; }

int doall_report_write(const char* path) {
  if (observe::write_to(path, team::environment().threads)) return 0;
  if (!observe::counts_so_far()) errno = EINVAL;
  return -1;
}

void doall_wait_begin(void) {
  if (observe::counts_so_far()) observe::waits::begin();
}
void doall_wait_end(void) {
  if (observe::counts_so_far()) observe::waits::end();
}

}  // extern "C"
