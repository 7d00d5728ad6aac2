// For the one file of a library that says whether it has a libstdc++ of its own (no_memory.cpp): a
// shared library has, unless a sanitizer's library brings the program's; libdoall.a has not.
#pragma once

#include <new>

#include "base/no_memory.hpp"
#include "base/unload.hpp"

namespace doall::base {

#if defined(DOALL_OWN_LIBSTDCXX)
constinit const bool owns_libstdcxx = true;
#else
constinit const bool owns_libstdcxx = false;
#endif

}  // namespace doall::base

#if defined(DOALL_OWN_LIBSTDCXX)
// Frees what libstdc++ keeps for exceptions that are thrown when there is no memory.
namespace __gnu_cxx {
void __freeres();
}

namespace doall::base {
namespace {

[[gnu::constructor]] void handle_no_memory() { std::set_new_handler(no_memory); }

// The library's copy of libstdc++ goes with it. The last of its destructor functions.
[[gnu::destructor(101)]] void free_runtime() {
  if (!process_ends()) __gnu_cxx::__freeres();
}

}  // namespace
}  // namespace doall::base
#endif
