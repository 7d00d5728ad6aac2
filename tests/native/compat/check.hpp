// What the programs of this folder check by.
#pragma once

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

#define CHECK(what)                                                    \
  do {                                                                 \
    if (!(what)) {                                                     \
      ++failures;                                                      \
      std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
    }                                                                  \
  } while (false)
