// A search by tasks that have objects, which is cancelled at its first leaf.
#pragma once

static int visited = 0, is_found = 0;

// Path: copies have a vector `values` of their own.
template <class Path>
void search(int depth, const Path& path) {
  __atomic_fetch_add(&visited, 1, __ATOMIC_RELAXED);
  if (depth == 0) __atomic_store_n(&is_found, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2 && depth > 0; ++i) {
    Path next = path;
    next.values.push_back(i);
#pragma omp task firstprivate(next, depth)
    {
      search(depth - 1, next);
      if (__atomic_load_n(&is_found, __ATOMIC_RELAXED) != 0) {
#pragma omp cancel taskgroup
      }
    }
  }
}
