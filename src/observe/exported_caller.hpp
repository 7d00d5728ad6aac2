// Places in a module: by their offset, and in a library without a symbol table by the exported
// function that called them. `module`: where it is mapped, as dladdr(3)'s dli_fbase. They ask the
// loader: some microseconds, and they may wait for its lock.
#pragma once

#include <cstdint>
#include <string>

namespace doall::observe {

// Of the functions that the calling thread is in, the innermost one of that module that it exports,
// as "name+0x12", with how far behind its begin the call is; empty: there is none.
std::string exported_caller(const void* module);

// Of code in that module; 0: it is in another one, or null.
std::uint64_t offset_in(const void* module, const void* code);

}  // namespace doall::observe
