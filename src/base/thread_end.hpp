// Frees what a library keeps for a thread when that thread ends.
//
// A pthread key's destructor runs after those of C++'s thread_local objects, which may still use
// what is kept. An unloading deletes the key, since the destructor's code goes with the library.
// The end of a process does not: threads that are not joined may end later, and what is kept for
// them would never be freed.
#pragma once

#include <pthread.h>

#include "base/unload.hpp"

namespace doall::base {

class thread_end {
 public:
  explicit thread_end(void (*end)(void*)) : made_(pthread_key_create(&key_, end) == 0) {}
  ~thread_end() {
    if (made_ && !process_ends()) pthread_key_delete(key_);
  }
  thread_end(const thread_end&) = delete;
  thread_end& operator=(const thread_end&) = delete;

  // Calls end(value) when the calling thread ends; `value` is not null. False: this is not
  // possible.
  bool watch_this_thread(const void* value) const {
    return made_ && pthread_setspecific(key_, value) == 0;
  }

 private:
  pthread_key_t key_{};
  bool made_;
};

}  // namespace doall::base
