// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on doall; Clang's build on
// libomp and, preloaded, on doall.
#include "lanes/omp_lines.hpp"
#include "lanes/openmp_runtime.hpp"

int main() {
  using namespace doall::bench;
  const unsigned threads = openmp_team_size();
  std::vector<line> all;
  for (const auto& lines : {construct_lines(threads), schedule_lines(threads), array_lines(threads),
                            task_lines(threads), process_lines()}) {
    all.insert(all.end(), lines.begin(), lines.end());
  }
  serve_lines(openmp_library(), threads, all);
}
