// What omp_processes.cpp starts: "threads" asks how many threads a team has, "region" has one.
#include <omp.h>

#include <cstring>

int main(int count, char** arguments) {
  int threads = 0;
  if (count > 1 && std::strcmp(arguments[1], "region") == 0) {
#pragma omp parallel reduction(+ : threads)
    threads += 1;
  } else {
    threads = omp_get_max_threads();
  }
  return threads > 0 ? 0 : 1;
}
