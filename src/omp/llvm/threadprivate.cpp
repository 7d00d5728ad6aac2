// Threadprivate variables without the linker's thread-local storage. The main thread uses the
// variable itself; every other thread has a copy that lasts as long as the thread, with the value
// that the variable had when any thread first asked for it, or made by the program's functions.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/sync.hpp"
#include "base/thread_end.hpp"
#include "base/unload.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/static_tls.hpp"

namespace doall::omp {
namespace {

// How the program makes and destroys a variable's copies: one value, or `length` of them.
struct makers {
  void* (*make)(void*) = nullptr;
  void* (*copy)(void*, void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void* (*make_all)(void*, std::size_t) = nullptr;
  void (*destroy_all)(void*, std::size_t) = nullptr;
  std::size_t length = 0;
};

struct variable {
  makers how;
  std::size_t bytes = 0;  // 0: no thread has asked for it
  std::unique_ptr<std::byte[]> first_value;
};

constinit base::lone_mutex variables_lock;
[[maybe_unused]] const int variables_lock_is_free = base::free_in_children<variables_lock>();
constinit base::lazy<std::unordered_map<const void*, variable>> variables;

struct copy_of_thread {
  void* memory;
  makers how;
};
using copies = std::unordered_map<const void*, copy_of_thread>;
DOALL_STATIC_TLS constinit thread_local copies* mine = nullptr;

void end_thread(void*) {
  copies* ending = mine;
  mine = nullptr;
  if (ending == nullptr) return;
  for (const auto& [of, copy] : *ending) {
    if (copy.memory == of) continue;  // the variable itself
    if (copy.how.destroy != nullptr) copy.how.destroy(copy.memory);
    if (copy.how.destroy_all != nullptr) copy.how.destroy_all(copy.memory, copy.how.length);
    std::free(copy.memory);
  }
  delete ending;
}
const base::thread_end ends(end_thread);
const base::at_unload free_all([] {
  end_thread(nullptr);
  variables.drop();
});

variable& variable_at(const void* data) {
  return variables.get([] { return std::unordered_map<const void*, variable>(); })[data];
}

void know(const void* data, const makers& how) {
  const std::lock_guard held(variables_lock);
  variable_at(data).how = how;
}

void* make_copy(void* data, std::size_t bytes, const makers& how, const std::byte* first_value) {
  constexpr std::size_t line = 64;
  void* memory = std::aligned_alloc(line, (bytes + line - 1) / line * line);
  if (memory == nullptr) return data;
  std::memset(memory, 0, bytes);
  if (how.make_all != nullptr) {
    how.make_all(memory, how.length);
  } else if (how.make != nullptr) {
    how.make(memory);
  } else if (how.copy != nullptr) {
    how.copy(memory, data);
  } else {
    std::memcpy(memory, first_value, bytes);
  }
  return memory;
}

void* here(void* data, std::size_t bytes) {
  if (mine != nullptr) {
    if (const auto found = mine->find(data); found != mine->end()) return found->second.memory;
  } else {
    mine = new copies;
    ends.watch_this_thread(mine);
  }
  makers how;
  const std::byte* first_value = nullptr;
  {
    const std::lock_guard held(variables_lock);
    variable& v = variable_at(data);
    if (v.bytes == 0) {
      v.bytes = bytes;
      v.first_value = std::make_unique<std::byte[]>(bytes);
      std::memcpy(v.first_value.get(), data, bytes);
    }
    how = v.how;
    first_value = v.first_value.get();
  }
  const bool is_main = gettid() == getpid();
  void* const memory = is_main ? data : make_copy(data, bytes, how, first_value);
  mine->emplace(data, copy_of_thread{memory, how});
  return memory;
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void __kmpc_threadprivate_register(ident_t*, void* data, void* (*make)(void*),
                                   void* (*copy)(void*, void*), void (*destroy)(void*)) {
  know(data, {make, copy, destroy, nullptr, nullptr, 0});
}
void __kmpc_threadprivate_register_vec(ident_t*, void* data, void* (*make)(void*, std::size_t),
                                       void* (* /*copy*/)(void*, void*, std::size_t),
                                       void (*destroy)(void*, std::size_t), std::size_t length) {
  know(data, {nullptr, nullptr, nullptr, make, destroy, length});
}

void* __kmpc_threadprivate(ident_t*, gtid_t, void* data, std::size_t bytes) {
  return here(data, bytes);
}
// The compiler offers a word for a table of the copies; each thread has its own table here.
void* __kmpc_threadprivate_cached(ident_t*, gtid_t, void* data, std::size_t bytes,
                                  void*** /*cache*/) {
  return here(data, bytes);
}

}  // extern "C"
