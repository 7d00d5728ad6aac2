#include "observe/served.hpp"

#include <cstdlib>

#include "observe/other_runtimes.hpp"

namespace doall::observe {
namespace {

// Whether this process has left the mark.
sync::atomic<bool> has_served{false};

[[gnu::constructor]] void note_loading() { append_to_served("loaded\n"); }

[[gnu::destructor]] void note_end() {
  // (1) relaxed; alone: the process is ending
  const bool served = has_served.load(sync::relaxed);
  if (!served && std::getenv(served_file_variable) != nullptr) {
    append_other_runtimes();
  }
}

}  // namespace

void leave_served_mark() {
  // (2) relaxed; alone: as (1)
  has_served.store(true, sync::relaxed);
  append_to_served("served\n");
}

}  // namespace doall::observe
