// Where a construct stands in the source, for what is learnt of it and for reports.
#pragma once

#include "sites/site_key.hpp"

namespace doall::omp {

struct source_place {
  team::site_key key;
  const char* function = nullptr;  // null: unknown
  const char* door = "gomp";       // a literal

  // Not explicit: GCC's door knows an address of code, and nothing else.
  source_place(const void* code = nullptr) : key{code} {}
};

}  // namespace doall::omp
