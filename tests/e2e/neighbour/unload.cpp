// Libraries loaded, used and unloaded a hundred times, in both orders and from a
// thread of their own too: each time their threads and their code are gone, and
// nothing that stays registered runs what is no longer there. Built with
// AddressSanitizer (leaks.sh), it ends in a search for memory that nobody can reach.
//   unload LIBDOALL LIBGOMP
#include <dirent.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "doall/abi.h"

namespace {

[[noreturn]] void fail(const char* what, const char* about) {
  std::fprintf(stderr, "wrong: %s: %s\n", what, about);
  std::exit(1);
}

// The library's own have a name (src/threads/pool.cpp); a sanitizer may have some too.
int workers_alive() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* task = readdir(tasks)) {
    char path[300];
    std::snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    char name[32] = "";
    if (std::FILE* file = std::fopen(path, "r")) {
      if (std::fgets(name, sizeof name, file) == nullptr) name[0] = '\0';
      std::fclose(file);
    }
    count += std::string_view(name).starts_with("doall-");
  }
  closedir(tasks);
  return count;
}

// Whether a file is mapped whose name begins so.
bool is_mapped(const std::string& file) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/" + file) != std::string::npos) return true;
  }
  return false;
}

constexpr std::uintptr_t page_bytes = 4096;

// Keeps the page out of use, so that the next library lies elsewhere and code that is still called
// after an unloading is not there. If something else lies there already, that serves as well.
void keep_empty(void* page) {
  static_cast<void>(
      mmap(page, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
}

class library {
 public:
  explicit library(const char* path) : path_(path), handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) fail("dlopen", dlerror());
  }
  template <class Function>
  Function* find(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) fail("dlsym", name);
    return reinterpret_cast<Function*>(found);
  }
  void close() { dlclose(handle_); }

  // A page of its code, which is nobody's once the library is unloaded.
  void* page(const char* function) const {
    const auto address = reinterpret_cast<std::uintptr_t>(find<void()>(function));
    return reinterpret_cast<void*>(address & ~(page_bytes - 1));
  }

 private:
  const char* path_;
  void* handle_;
};

void add(long* sum, long n) { __atomic_fetch_add(sum, n, __ATOMIC_RELAXED); }

int count_iterations(void* sum, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                     std::uint32_t) {
  for (std::uint64_t i = begin; i < end; i += step) add(static_cast<long*>(sum), 1);
  return 0;
}

void use_native(const library& doall) {
  const auto run = doall.find<decltype(doall_run)>("doall_run");
  const auto make = doall.find<decltype(doall_schedule_make)>("doall_schedule_make");
  const auto take = doall.find<decltype(doall_scratch_take)>("doall_scratch_take");
  const auto give = doall.find<decltype(doall_scratch_give)>("doall_scratch_give");
  for (const char* name : {"static", "dynamic", "affinity-last"}) {  // the last remembers
    doall_schedule how{};
    make(name, nullptr, &how, nullptr, 0);
    long sum = 0;
    doall_loop loop{};
    loop.size = sizeof loop;
    loop.iterations = 1000;
    loop.body = count_iterations;
    loop.context = &sum;
    loop.schedule = &how;
    run(&loop);
    if (sum != 1000) fail("iterations lost", name);
  }
  give(take(1000, 64));
  doall.find<decltype(doall_set_schedule)>("doall_set_schedule")("guided,2");
}

void use_openmp(const library& gomp) {
  const auto parallel =
      gomp.find<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  long sum = 0;
  parallel([](void* s) { add(static_cast<long*>(s), 1); }, &sum, 4, 0);
  if (sum != 4) fail("a region's threads", "not 4");
  parallel([](void* s) { add(static_cast<long*>(s), 1); }, &sum, 1, 0);  // on the caller alone
  // A value with a warning, one that is kept and one that is shown.
  gomp.find<void(int)>("omp_set_num_threads")(0);
  gomp.find<void(const char*)>("omp_set_affinity_format")("a format too long to stand in a string");
  gomp.find<int()>("omp_get_max_teams")();
}

// Returns pages that were code of the libraries.
std::vector<void*> load_use_unload(const char* doall_path, const char* gomp_path, int round) {
  if (round % 3 == 0) {  // the second keeps the first, which it needs
    library doall(doall_path);
    library gomp(gomp_path);
    const std::vector pages{doall.page("doall_run"), gomp.page("GOMP_parallel")};
    use_native(doall);
    use_openmp(gomp);
    doall.close();
    use_openmp(gomp);
    gomp.close();
    return pages;
  }
  if (round % 3 == 1) {
    library gomp(gomp_path);
    const std::vector pages{gomp.page("GOMP_parallel")};
    use_openmp(gomp);
    gomp.close();
    return pages;
  }
  library doall(doall_path);
  const std::vector pages{doall.page("doall_run")};
  use_native(doall);
  doall.close();
  return pages;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) fail("usage", "unload LIBDOALL LIBGOMP");
  for (int round = 0; round < 100; ++round) {
    std::vector<void*> pages;
    const auto work = [&] { pages = load_use_unload(arguments[1], arguments[2], round); };
    if (round % 2 == 0) {
      work();
    } else {
      std::thread(work).join();
    }
    for (const char* file : {"libdoall.so", "libdoall-hwloc.so", "libgomp.so"}) {
      if (is_mapped(file)) fail("still mapped after dlclose", file);
    }
    for (void* page : pages) keep_empty(page);
    // The system may list a thread for a moment after its end.
    for (int tries = 0; workers_alive() != 0; ++tries) {
      if (tries == 1000) fail("threads left", "after dlclose");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  library last(arguments[2]);  // and one that exit() finds loaded
  use_openmp(last);
  std::puts("loaded and unloaded 100 times");
}
