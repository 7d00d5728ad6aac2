// Parallel regions as Clang compiles them: an outlined function ("microtask") that takes the
// addresses of two numbers, then one argument for each variable that it shares.
#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/thread_end.hpp"
#include "base/unload.hpp"
#include "omp/fatal.hpp"
#include "omp/llvm/fork.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/region.hpp"

namespace doall::omp {
namespace {

// How many arguments a call is made with. Both of Linux's 64-bit ABIs let a caller pass more than
// the function takes: the caller frees them. So a few sizes serve any number.
#if defined(__x86_64__)
constexpr std::array<int, 12> call_sizes{4, 6, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 65536};
constexpr int spelt_most = 256;

// Beyond, the arguments that do not fit in registers are passed as one struct by value: it lies
// where they would, one behind the other on the stack.
constexpr int in_registers = 4;  // beside the two numbers
template <int Size>
struct on_stack {
  void* arguments[Size];
};
#else
constexpr std::array<int, 12> call_sizes{4, 6, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr int spelt_most = 4096;
#endif

template <std::size_t... I>
void call_with(microtask body, std::int32_t* global, std::int32_t* bound, void* const* arguments,
               std::index_sequence<I...>) {
  reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, decltype((void)I, (void*)nullptr)...)>(
      reinterpret_cast<void*>(body))(global, bound, arguments[I]...);
}

template <int Size>
void call(microtask body, std::int32_t* global, std::int32_t* bound, void* const* first) {
  void* const* arguments = first;
  if constexpr (Size > microtask_call::few) arguments = static_cast<void**>(first[0]);
  if constexpr (Size <= spelt_most) {
    call_with(body, global, bound, arguments, std::make_index_sequence<Size>());
  } else {
#if defined(__x86_64__)
    using rest = on_stack<Size - in_registers>;
    rest more;
    std::memcpy(&more, arguments + in_registers, sizeof more);
    reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, void*, void*, void*, void*, rest)>(
        reinterpret_cast<void*>(body))(global, bound, arguments[0], arguments[1], arguments[2],
                                       arguments[3], more);
#endif
  }
}

using caller = void (*)(microtask, std::int32_t*, std::int32_t*, void* const*);

template <std::size_t... I>
constexpr std::array<caller, sizeof...(I)> callers_of(std::index_sequence<I...>) {
  return {call<call_sizes[I]>...};
}
constexpr auto callers = callers_of(std::make_index_sequence<call_sizes.size()>());

// What the clauses of the next construct ask for. The compiler pushes them right before it.
struct pushed_clauses {
  std::uint32_t threads = 0;
  binding bind = binding::none;
  bool has_more = false;  // any of these:
  team_wish::strictness strict = team_wish::not_strict;
  const char* message = nullptr;
  const thread_list* list = nullptr;
};
DOALL_STATIC_TLS constinit thread_local pushed_clauses pushed;

void push_more(team_wish::strictness strict, const char* message, const thread_list* list) {
  delete pushed.list;
  pushed.has_more = strict != team_wish::not_strict || list != nullptr;
  pushed.strict = strict;
  pushed.message = message;
  pushed.list = list;
}

void push_list(std::uint32_t count, const std::int32_t* threads, team_wish::strictness strict,
               const char* message) {
  push_threads(count != 0 ? threads[0] : 0);
  thread_list* list = nullptr;
  if (count > 1) {
    list = new thread_list;
    for (std::uint32_t i = 0; i < count; ++i) {
      list->numbers.push_back(static_cast<std::uint32_t>(std::max(threads[i], 1)));
    }
  }
  push_more(strict, message, list);
}

// As __kmpc_error() has it.
team_wish::strictness strictness_of(int severity) {
  return severity == 1 ? team_wish::warns : team_wish::ends;
}

// Regions of one thread, which the compiler's code runs between two calls. The thread keeps the
// memory of the last one for the next.
struct serial_region {
  region_run run;
  serial_region* outer;
};
DOALL_STATIC_TLS constinit thread_local serial_region* innermost_serial = nullptr;
DOALL_STATIC_TLS constinit thread_local void* spare_serial = nullptr;

void free_serial(void* memory) {
  ::operator delete(memory, std::align_val_t{alignof(serial_region)});
}
const base::thread_end serial_ends([](void*) {
  free_serial(std::exchange(spare_serial, nullptr));
});
const base::at_unload free_the_callers([] { free_serial(std::exchange(spare_serial, nullptr)); });

void no_body(void*) {}

void begin_serial(const source_place& place) {
  team_wish wish = take_wish();
  wish.num_threads = 1;
  wish.strict = team_wish::not_strict;
  void* memory = std::exchange(spare_serial, nullptr);
  if (memory == nullptr) {
    memory = ::operator new(sizeof(serial_region), std::align_val_t{alignof(serial_region)});
    serial_ends.watch_this_thread(memory);
  }
  innermost_serial = new (memory)
      serial_region{{no_body, nullptr, wish, nullptr, nullptr, place}, innermost_serial};
}

void end_serial() {
  serial_region* const ending = innermost_serial;
  innermost_serial = ending->outer;
  ending->~serial_region();
  free_serial(std::exchange(spare_serial, ending));
}

}  // namespace

microtask_call::microtask_call(microtask body, int count, va_list arguments) : body_(body) {
  std::size_t size = 0;
  while (size < call_sizes.size() && call_sizes[size] < count) ++size;
  if (size == call_sizes.size()) {
    fatal("a construct that shares " + std::to_string(count) + " variables: expected at most " +
          std::to_string(call_sizes.back()) + " of them");
  }
  caller_ = callers[size];
  const auto room = static_cast<std::size_t>(call_sizes[size]);
  void** all = few_.data();
  if (room > few) {
    if (room <= some_.size()) {
      some_.fill(nullptr);
      all = some_.data();
    } else {
      many_ = std::make_unique<void*[]>(room);
      all = many_.get();
    }
    few_[0] = all;
  }
  for (int i = 0; i < count; ++i) all[i] = va_arg(arguments, void*);
}

void microtask_call::run() const {
  std::int32_t global = global_thread_number();
  auto bound = static_cast<std::int32_t>(self().index);
  caller_(body_, &global, &bound, few_.data());
}

void microtask_call::run_one(void* call) { static_cast<const microtask_call*>(call)->run(); }

team_wish take_wish() {
  team_wish wish(std::exchange(pushed.threads, 0), std::exchange(pushed.bind, binding::none));
  if (pushed.has_more) [[unlikely]] {
    wish.strict = pushed.strict;
    wish.message = pushed.message;
    wish.list.reset(std::exchange(pushed.list, nullptr));
    pushed.has_more = false;
  }
  return wish;
}

void push_threads(std::int32_t threads) {
  pushed.threads = threads > 0 ? static_cast<std::uint32_t>(threads) : 0;
}

void fork(const microtask_call& call, const team_wish& wish, const source_place& place) {
  auto* shared = const_cast<microtask_call*>(&call);  // only read; a region's data is void*
  const region_run region(microtask_call::run_one, shared, wish, nullptr, nullptr, place);
  call.run();
}

}  // namespace doall::omp

using namespace doall::omp;

namespace {

const void* code_of(microtask body) { return reinterpret_cast<const void*>(body); }

}  // namespace

extern "C" {

void __kmpc_begin(ident_t*, std::int32_t /*flags*/) {}
void __kmpc_end(ident_t*) {}
std::int32_t __kmpc_ok_to_fork(ident_t*) { return 1; }

std::int32_t __kmpc_global_thread_num(ident_t*) { return global_thread_number(); }
std::int32_t __kmpc_global_num_threads(ident_t*) { return count_threads_met(); }
std::int32_t __kmpc_bound_thread_num(ident_t*) { return static_cast<std::int32_t>(self().index); }
std::int32_t __kmpc_bound_num_threads(ident_t*) {
  return static_cast<std::int32_t>(self().team->size);
}
std::int32_t __kmpc_in_parallel(ident_t*) { return self().team->active_level > 0; }

void __kmpc_push_num_threads(ident_t*, gtid_t, std::int32_t threads) { push_threads(threads); }
void __kmpc_push_num_threads_strict(ident_t*, gtid_t, std::int32_t threads, int severity,
                                    const char* message) {
  push_threads(threads);
  push_more(strictness_of(severity), message, nullptr);
}
void __kmpc_push_num_threads_list(ident_t*, gtid_t, std::uint32_t count,
                                  const std::int32_t* threads) {
  push_list(count, threads, team_wish::not_strict, nullptr);
}
void __kmpc_push_num_threads_list_strict(ident_t*, gtid_t, std::uint32_t count,
                                         const std::int32_t* threads, int severity,
                                         const char* message) {
  push_list(count, threads, strictness_of(severity), message);
}
void __kmpc_pop_num_threads(ident_t*, gtid_t) {}

// The numbers are those of omp_proc_bind_t; above spread comes what Clang passes for the word
// `primary`, and then `default`, no wish.
void __kmpc_push_proc_bind(ident_t*, gtid_t, std::int32_t bind) {
  constexpr std::int32_t word_primary = 5;
  if (bind == word_primary) bind = static_cast<std::int32_t>(binding::primary);
  const bool known = bind > 0 && bind <= static_cast<std::int32_t>(binding::spread);
  pushed.bind = known ? binding{static_cast<std::uint32_t>(bind)} : binding::none;
}

void __kmpc_fork_call(ident_t* at, std::int32_t count, microtask body, ...) {
  va_list arguments;
  va_start(arguments, body);
  const microtask_call call(body, count, arguments);
  va_end(arguments);
  fork(call, take_wish(), place_of(at, code_of(body)));
}

void __kmpc_serialized_parallel(ident_t* at, gtid_t) { begin_serial(place_of(at, HERE)); }
void __kmpc_end_serialized_parallel(ident_t*, gtid_t) { end_serial(); }

// With `condition` 0 the region has one thread. The one argument may be null: then there is none.
void __kmpc_fork_call_if(ident_t* at, std::int32_t count, microtask body, std::int32_t condition,
                         void* argument) {
  if (condition != 0) {
    __kmpc_fork_call(at, argument != nullptr ? count : 0, body, argument);
    return;
  }
  begin_serial(place_of(at, code_of(body)));
  std::int32_t global = global_thread_number();
  std::int32_t bound = 0;
  reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, void*)>(reinterpret_cast<void*>(body))(
      &global, &bound, argument);
  end_serial();
}

}  // extern "C"
