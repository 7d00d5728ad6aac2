// Names a place in a library without a symbol table: by the exported function that called it.
#pragma once

#include <string>

namespace doall::observe {

// Of the functions that the calling thread is in, the innermost one of that module that it exports,
// as "name+0x12", with how far behind its begin the call is; empty: there is none. `module`: where
// it is mapped, as dladdr(3)'s dli_fbase. Asks the loader: some microseconds, and it may hold the
// loader's lock.
std::string exported_caller(const void* module);

}  // namespace doall::observe
