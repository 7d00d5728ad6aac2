// OpenMP's lane of task programs. One source: GCC's build runs on libgomp and, preloaded, on doall;
// Clang's build on libomp and, preloaded, on doall. Verbs are papers/lanes/lane.hpp's, where a
// schedule is a form: fine or cut (beyond the cut-off no tasks are made), tied or untied; and
//   sharing PROGRAM FORM      of the tasks, the part that the thread ran which ran fewest
//
//   lane-tasks-openmp-COMPILER SIZE
#include "kernels/harness.hpp"
#include "lanes/lane.hpp"
#include "lanes/openmp.hpp"
#include "lanes/openmp_runtime.hpp"
#include "lanes/task_programs.hpp"

namespace {

using namespace doall::bench;

// The tasks that each thread has run.
struct alignas(doall::base::apart_bytes) task_count {
  std::uint64_t tasks = 0;
};
std::vector<task_count> counts;

enum class tie { tied, untied };
enum class watch { none, counted };

template <tie Tie, watch Watch>
struct omp_tasks {
  bool has_cut_off;
  bool cuts() const { return has_cut_off; }

  template <class Body>
  static void call(const Body& body, auto... arguments) {
    if constexpr (Watch == watch::counted) {
      ++counts[static_cast<std::size_t>(omp_get_thread_num())].tasks;
    }
    body(arguments...);
  }

  template <class Body>
  void spawn(Body body) const {
    if constexpr (Tie == tie::tied) {
#pragma omp task firstprivate(body)
      call(body);
    } else {
#pragma omp task untied firstprivate(body)
      call(body);
    }
  }

  void wait() const {
#pragma omp taskwait
  }

  template <class Body>
  void each(std::size_t count, Body body) const {
    if constexpr (Tie == tie::tied) {
#pragma omp taskloop num_tasks(count) firstprivate(body)
      for (std::size_t i = 0; i < count; ++i) call(body, i);
    } else {
#pragma omp taskloop untied num_tasks(count) firstprivate(body)
      for (std::size_t i = 0; i < count; ++i) call(body, i);
    }
  }
};

struct form {
  bool has_cut_off = false;
  tie how = tie::tied;
  watch watched = watch::none;
};

form form_of(const std::string& name) {
  if (name == "fine,tied") return {false, tie::tied};
  if (name == "fine,untied") return {false, tie::untied};
  if (name == "cut,tied") return {true, tie::tied};
  if (name == "cut,untied") return {true, tie::untied};
  throw std::invalid_argument("bad request: no form " + name);
}

std::vector<std::string> forms_of(const program& p) {
  if (p.name.starts_with("taskloop") || p.name.starts_with("producer"))
    return {"fine,tied", "fine,untied"};
  return {"fine,tied", "fine,untied", "cut,tied", "cut,untied"};
}

template <watch Watch, class Kernel>
void run_in_form(Kernel& k, const form& f) {
  run_in_tasks([&] {
    if (f.how == tie::tied) {
      run(k, omp_tasks<tie::tied, Watch>{f.has_cut_off});
    } else {
      run(k, omp_tasks<tie::untied, Watch>{f.has_cut_off});
    }
  });
}

// Runs the program until each thread has run some of its tasks, but not for ever.
double least_part(const program& p, size s) {
  constexpr int attempts = 20;
  double part = 0;
  for (int i = 0; i < attempts && part == 0; ++i) {
    const std::unique_ptr<kernel> k = p.make(s);
    k->reset();
    for (task_count& c : counts) c.tasks = 0;
    p.parallel(*k);
    std::uint64_t all = 0;
    std::uint64_t least = counts.front().tasks;
    for (const task_count& c : counts) {
      all += c.tasks;
      least = std::min(least, c.tasks);
    }
    part = static_cast<double>(least) / static_cast<double>(all);
  }
  return part;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string size_name = argc > 1 ? argv[1] : "";
  const unsigned threads = openmp_team_size();
  counts.resize(threads);
  form now;
  const auto door = [&now](auto& k) {
    if (now.watched == watch::counted) {
      run_in_form<watch::counted>(k, now);
    } else {
      run_in_form<watch::none>(k, now);
    }
  };
  const auto loop = [&](const std::string& name, std::size_t tasks, unsigned units) {
    return make_program<taskloop_tasks>(name, "none", "none", door, tasks, units);
  };
  constexpr unsigned units_of_1us = 660;
  const std::vector<program> programs{
      make_program<fib_tasks>("fib", "large", "none", door),
      make_program<queens_tasks>("nqueens", "large", "none", door),
      make_program<sort_tasks>("sort", "none", "none", door),
      make_program<strassen_tasks>("strassen", "none", "none", door),
      make_program<sparse_lu_tasks>("sparselu", "large", "none", door),
      make_program<health_tasks>("health", "large", "none", door),
      make_program<alignment_tasks>("alignment", "large", "none", door),
      loop("taskloop-64", std::size_t{64}, 0),
      loop("taskloop-512", std::size_t{512}, 0),
      loop("taskloop-64-1us", std::size_t{64}, units_of_1us),
      loop("taskloop-512-1us", std::size_t{512}, units_of_1us),
      make_program<producer_tasks>("producer", "none", "none", door, 0U),
      make_program<producer_tasks>("producer-100ns", "none", "none", door, units_of_1us / 10),
      make_program<producer_tasks>("producer-1us", "none", "none", door, units_of_1us)};
  const auto sharing = [&](std::istream& words) {
    const std::string name = next_of(words);
    const program& p = named(programs, name, &program::name);
    now = form_of(next_of(words));
    now.watched = watch::counted;
    return in_a_line({least_part(p, size_of(size_name))});
  };
  return serve_lane(size_name, {.library = openmp_library(),
                                .threads = threads,
                                .use = [&now](const std::string& name) { now = form_of(name); },
                                .programs = programs,
                                .warm_up = programs.front(),
                                .schedules = forms_of,
                                .verbs = {{"sharing", sharing}}});
}
