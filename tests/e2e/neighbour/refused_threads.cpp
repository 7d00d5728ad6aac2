// A process that may not have all the threads it asks for: for every k from 1 to 8 the
// k-th thread cannot be started, because the system's limit says so (RLIMIT_NPROC, where
// this program may become a user of its own) or because the program's own
// pthread_create() does, and later may. Loops are right on fewer workers, and one line
// says why, not one a loop.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace {

constexpr int wanted = 9;  // workers: the caller and eight threads

std::atomic<int> starts{0};            // calls of pthread_create() so far
std::atomic<int> refused_from{10000};  // that call and later ones fail; the first is 1

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
    void* argument) noexcept {
  using creator = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (++starts >= refused_from) return EAGAIN;
  return reinterpret_cast<creator*>(dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start,
                                                                        argument);
}

namespace {

int failures = 0;

void expect(bool condition, const char* what, int k) {
  if (condition) return;
  std::fprintf(stderr, "wrong with thread %d refused: %s\n", k, what);
  ++failures;
}

// Workers that the library has started: they have a name (src/threads/pool.cpp).
int workers_alive() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm");
    std::string name;
    comm >> name;
    count += name.starts_with("doall-") ? 1 : 0;
  }
  return count;
}

// A thread takes its name when it first runs, which on a busy machine may be after the loops that
// it was started for.
bool become_alive(int workers) {
  for (int look = 0; look < 3000; ++look) {
    if (workers_alive() == workers) return true;
    usleep(10000);
  }
  return false;
}

bool loops_are_right() {
  for (const char* how : {"static", "cyclic", "dynamic", "guided", "factoring", "trapezoid",
                          "affinity", "affinity-last", "tapering"}) {
    const int sum = doall::parallel_reduce(
        0, 300, 0, [](int i) { return i; }, std::plus<>{}, doall::schedule(how));
    if (sum != 44850) return false;
  }
  return true;
}

// In a process of its own, whose standard error `message` becomes. Returns its status.
template <class Work>
int in_a_child(Work work, std::string& message) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    failures = 0;
    work();
    _exit(failures == 0 ? 0 : 1);
  }
  close(ends[1]);
  char text[512];
  for (ssize_t n = 0; (n = read(ends[0], text, sizeof text)) > 0;) {
    message.append(text, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void run_refused(int k) {
  const doall::thread_scope team(wanted);
  for (int round = 0; round < 150; ++round) {
    expect(loops_are_right(), "a sum", k);
    if (failures != 0) return;
  }
  expect(become_alive(k - 1), "there are not the threads that were granted", k);
  expect(starts <= k + 10, "it asks for threads all the time", k);
}

void refuse_for_a_while(int k) {
  refused_from = k;
  run_refused(k);
  refused_from = 10000;
  const doall::thread_scope team(wanted);
  for (int round = 0; round < 200 && workers_alive() != wanted - 1; ++round) {
    expect(loops_are_right(), "a sum afterwards", k);
  }
  expect(become_alive(wanted - 1), "the threads do not come", k);
}

constexpr int not_possible = 77;

// A user whom nobody else is, so that the limit counts this process alone.
void limit_by_system(int k) {
  const uid_t nobody_else = 60123U + static_cast<uid_t>(k);
  const rlimit limit{static_cast<rlim_t>(k), static_cast<rlim_t>(k)};
  if (setresuid(nobody_else, nobody_else, nobody_else) != 0) _exit(not_possible);
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) _exit(not_possible);
  run_refused(k);
}

bool is_one_warning(const std::string& message) {
  return message.starts_with("doall: thread ") &&
         message.find("could not be started") != std::string::npos &&
         message.find('\n') == message.size() - 1;
}

template <class Work>
bool check(int k, const char* how, Work work) {
  std::string message;
  const int status = in_a_child([&] { work(k); }, message);
  if (status == not_possible) return true;
  if (status == 0 && is_one_warning(message)) return false;
  std::fprintf(stderr, "wrong with thread %d refused by %s: status %d, message: %s\n", k, how,
               status, message.c_str());
  ++failures;
  return false;
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer has a pthread_create() of its own");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // more threads than CPUs
  bool without_limit = false;
  for (int k = 1; k <= 8; ++k) {
    check(k, "the program", refuse_for_a_while);
    without_limit |= check(k, "the system", limit_by_system);
  }
  if (failures != 0) return 1;
  std::printf("one warning each%s\n",
              without_limit ? "; the system's own limit was not tried" : "");
}
