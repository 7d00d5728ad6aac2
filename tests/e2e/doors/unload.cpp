// A process that loads the programs and doall, runs some, and unloads both, a few times:
//   doors_unload MODULE SEED
// Afterwards their code and threads are gone, and threads that have used them end well.
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "base/rng.hpp"
#include "doors/page.hpp"

namespace doall::doors {
namespace {

using runner = void(unsigned long long);

bool is_mapped(std::string_view file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(file) != line.npos) return true;
  }
  return false;
}

unsigned threads_alive() {
  unsigned count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* task = readdir(tasks)) count += task->d_name[0] != '.' ? 1 : 0;
  closedir(tasks);
  return count;
}

// A thread that runs a program, and goes on without it.
struct guest {
  runner* run;
  u64 seed;
  sem_t ran;
  sem_t unloaded;

  static void* main(void* self) {
    auto& mine = *static_cast<guest*>(self);
    mine.run(mine.seed);
    sem_post(&mine.ran);
    while (sem_wait(&mine.unloaded) != 0) continue;
    return nullptr;
  }
};

void load_run_unload(const char* path, base::rng& random, bool last) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    fail("dlopen");
  }
  auto* const run = reinterpret_cast<runner*>(dlsym(module, "doors_run"));
  for (u64 n = random.below(3); n > 0; --n) run(random.next());
  guest other{run, random.next(), {}, {}};
  sem_init(&other.ran, 0, 0);
  sem_init(&other.unloaded, 0, 0);
  pthread_t thread{};
  check(pthread_create(&thread, nullptr, guest::main, &other) == 0, "pthread_create");
  if (random.below(2) == 0) run(random.next());
  while (sem_wait(&other.ran) != 0) continue;
  if (!last) {
    dlclose(module);
    answer_with_stacks();  // those of the module are gone
    check(!is_mapped("libdoall"), "libdoall mapped after dlclose", 1, 0);
    for (unsigned tries = 0; threads_alive() != 2; ++tries) {  // the system may be late
      check(tries < 2'000, "threads after dlclose", threads_alive(), 2);
      usleep(1'000);
    }
  }
  sem_post(&other.unloaded);
  pthread_join(thread, nullptr);
}

}  // namespace
}  // namespace doall::doors

int main(int count, char** arguments) {
  using namespace doall::doors;
  if (count != 3) {
    std::fprintf(stderr, "usage: doors_unload MODULE SEED\n");
    return 2;
  }
  answer_with_stacks();
  doall::base::rng random(std::strtoull(arguments[2], nullptr, 10));
  const u64 rounds = 1 + random.below(3);
  for (u64 r = 0; r < rounds; ++r) {
    load_run_unload(arguments[1], random, r + 1 == rounds && random.below(2) == 0);
  }
  return 0;
}
