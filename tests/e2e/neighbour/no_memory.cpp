// Memory runs out in the libraries, at each of their allocations in turn, once or for good: the
// answer is right, or the program is told and ended, by SIGABRT or a status. No exception comes out
// of a library, which would be of another libstdc++ than the program's.
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace {

std::atomic<long> until_failure{0};  // allocations until one fails; 0: none does
std::atomic<bool> for_good{false};
std::atomic<bool> has_failed{false};

bool fails() {
  if (!(for_good && has_failed)) {
    if (until_failure == 0 || until_failure.fetch_sub(1) != 1) return false;
    has_failed = true;
  }
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace {

constexpr int n = 300;
constexpr long sum_of_n = long{n} * (n - 1) / 2;

long loops() {
  long sum = 0;
#pragma omp parallel for num_threads(3) schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

long inner_regions() {
  std::atomic<long> sum{0};
#pragma omp parallel num_threads(2)
  {
    long part = 0;
#pragma omp parallel for num_threads(2) schedule(guided) reduction(+ : part)
    for (int i = 0; i < n; ++i) part += i;
#pragma omp single
    sum += part;
  }
  return sum;
}

long tasks() {
  std::atomic<long> sum{0};
  int order[3] = {};
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : order[i % 3]) shared(sum) firstprivate(i)
    sum += i + order[i % 3];
  }
  return sum;
}

long task_reductions() {
  long sum = 0;
#pragma omp parallel num_threads(3) reduction(task, + : sum)
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  return sum;
}

long doacross() {
  long sum = 0;
#pragma omp parallel for ordered(1) num_threads(3) schedule(dynamic, 7)
  for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    sum += i;
#pragma omp ordered depend(source)
  }
  return sum;
}

long native_loops(const char* how) {
  std::atomic<long> sum{0};
  doall::parallel_for(0, n, [&](int i) { sum += i; }, doall::schedule(how));
  return sum;
}

long native_nests() {
  std::atomic<long> sum{0};
  doall::parallel_for(0, 3, [&](int k) {
    doall::parallel_for(0, n / 3, [&](int i) { sum += k * (n / 3) + i; }, doall::schedule("lbs"));
  });
  return sum;
}

long native_tasks() {
  std::atomic<long> sum{0};
  doall::task_group group;
  for (int i = 0; i < n; ++i) group.run([&sum, i] { sum += i; });
  group.wait();
  return sum;
}

struct work {
  const char* name;
  std::function<long()> run;
  bool throws = false;  // the header allocates in the program itself, whose exception it is
};
const work works[] = {
    {"loops", loops},
    {"inner regions", inner_regions},
    {"tasks", tasks},
    {"task reductions", task_reductions},
    {"doacross", doacross},
    {"native loops, static", [] { return native_loops("static"); }},
    {"native loops, affinity-last", [] { return native_loops("affinity-last"); }},
    {"native nests", native_nests},
    {"native tasks", native_tasks, true},
};

// The libraries' own is EXIT_FAILURE.
enum status { right, wrong_sum = 10, caught, not_reached };

// Runs the work in a process of its own, whose `at`-th allocation fails. Returns what is wrong.
std::string try_once(const work& what, long at, bool stays, bool& reached) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(60);
    for_good = stays;
    until_failure = at;
    int ended = caught;
    try {
      ended = what.run() == sum_of_n ? right : wrong_sum;
    } catch (...) {
    }
    if (ended == right && !has_failed) ended = not_reached;
    _exit(ended);
  }
  close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int ended = 0;
  waitpid(child, &ended, 0);
  reached = !WIFEXITED(ended) || WEXITSTATUS(ended) != not_reached;
  if (WIFEXITED(ended) && (WEXITSTATUS(ended) == right || !reached)) return "";
  const bool is_told = said.find("doall: no memory") != std::string::npos;
  if (WIFSIGNALED(ended)) {
    if (WTERMSIG(ended) == SIGABRT && is_told) return "";
    return "signal " + std::to_string(WTERMSIG(ended)) + ": " + said;
  }
  if (WEXITSTATUS(ended) == EXIT_FAILURE && is_told) return "";
  if (WEXITSTATUS(ended) == caught) return what.throws ? "" : "an exception came out: " + said;
  return WEXITSTATUS(ended) == wrong_sum
             ? "a wrong sum: " + said
             : "status " + std::to_string(WEXITSTATUS(ended)) + ": " + said;
}

}  // namespace

int main() {
  constexpr long most = 400;  // allocations; those of many tasks are alike
  int failures = 0;
  for (const work& what : works) {
    for (const bool stays : {false, true}) {
      bool reached = true;
      for (long at = 1; reached && at <= most; at += 1 + at / 20) {
        const std::string wrong = try_once(what, at, stays, reached);
        if (wrong.empty()) continue;
        ++failures;
        std::fprintf(stderr, "wrong: %s, allocation %ld fails%s: %s\n", what.name, at,
                     stays ? " and all after it" : "", wrong.c_str());
      }
    }
  }
  return failures == 0 ? 0 : 1;
}
