// Locks and fork(): the child has the forking thread alone, so a lock that another
// thread held would never be free again.
#pragma once

#include <pthread.h>

namespace doall::base {

// Makes every fork wait until nobody holds the lock, so that it is free in the child.
// For locks of static storage that no thread holds together with another such one;
// ends with the library. Returns an error number of pthread_atfork().
template <auto& lock>
int free_in_children() {
  return pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { lock.unlock(); });
}

}  // namespace doall::base
