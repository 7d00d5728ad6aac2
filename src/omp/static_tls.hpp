// How the library's thread-local variables are reached.
#pragma once

#include <cstdlib>  // __GLIBC__

// For what each call looks up of its thread: one load, as libgomp's. By descriptor a look-up is a
// call, 1.7 ns. With such a variable all of the library's must fit in what the C library keeps for
// libraries that dlopen() loads (tests/e2e/neighbour/static_tls.sh). musl keeps nothing.
#if defined(__GLIBC__)
#define DOALL_STATIC_TLS [[gnu::tls_model("initial-exec")]]
#else
#define DOALL_STATIC_TLS
#endif
