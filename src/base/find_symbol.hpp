// A symbol that the program, or what is loaded with it, may have.
#pragma once

#include <dlfcn.h>

namespace doall::base {

// Null: there is none. Its failure must leave no message: the C library keeps that until the thread
// has ended, and a main thread that leaves by pthread_exit() never has. The first call of dlerror()
// returns it, the second frees it.
inline void* find_symbol(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) {
    dlerror();
    dlerror();
  }
  return found;
}

}  // namespace doall::base
