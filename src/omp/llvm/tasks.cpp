// Explicit tasks, as Clang compiles them.
#include <array>
#include <new>
#include <vector>

#include "omp/llvm/ident.hpp"
#include "omp/llvm/kmp_task.hpp"
#include "omp/llvm/task_reductions.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/region.hpp"
#include "tasks/immediate.hpp"

namespace doall::omp {
namespace {

// One item of a depend clause, as the compiler describes it.
struct kmp_dependence {
  void* address;
  std::size_t bytes;
  std::uint8_t flags;
};
enum kmp_dependence_flag : std::uint8_t {
  kmp_in = 1,
  kmp_out = 2,
  kmp_mutexinoutset = 4,
  kmp_inoutset = 8,
  kmp_all_memory = 0x80
};

// Two forms of omp_all_memory: a flag, and the address -1.
bool is_all_memory(const kmp_dependence& d) {
  return (d.flags & kmp_all_memory) != 0 ||
         reinterpret_cast<std::uintptr_t>(d.address) == ~std::uintptr_t{0};
}

dependence translated(const kmp_dependence& d) {
  if (is_all_memory(d)) return {nullptr, dependence_kind::out};
  if ((d.flags & kmp_out) != 0) return {d.address, dependence_kind::out};
  if ((d.flags & kmp_mutexinoutset) != 0) return {d.address, dependence_kind::mutexinoutset};
  if ((d.flags & kmp_inoutset) != 0) return {d.address, dependence_kind::inoutset};
  return {d.address, dependence_kind::in};
}

// The items of both lists that a call passes.
class dependence_list {
 public:
  dependence_list(std::int32_t count, const kmp_dependence* list, std::int32_t more,
                  const kmp_dependence* more_list) {
    const auto all = static_cast<std::size_t>(count > 0 ? count : 0) +
                     static_cast<std::size_t>(more > 0 ? more : 0);
    if (all > few_.size()) many_.resize(all);
    begin_ = all > few_.size() ? many_.data() : few_.data();
    for (std::int32_t i = 0; i < count; ++i) begin_[size_++] = translated(list[i]);
    for (std::int32_t i = 0; i < more; ++i) begin_[size_++] = translated(more_list[i]);
  }
  dependence_list(const dependence_list&) = delete;
  dependence_list& operator=(const dependence_list&) = delete;

  operator dependences() const { return {begin_, size_}; }

 private:
  std::array<dependence, 8> few_;
  std::vector<dependence> many_;
  dependence* begin_ = nullptr;
  std::size_t size_ = 0;
};

constexpr std::int32_t needs_options = kmp_task_final | kmp_task_has_event | kmp_task_destructors;

task_options options_by(std::int32_t flags) {
  task_options how;
  how.is_final = (flags & kmp_task_final) != 0;
  how.detached = (flags & kmp_task_has_event) != 0;
  how.must_run = (flags & kmp_task_destructors) != 0;
  return how;
}

}  // namespace

task_options options_of(const kmp_task_t* t) {
  const std::int32_t flags = header_of(const_cast<kmp_task_t*>(t)).flags;
  task_options how = options_by(flags);
  if ((flags & kmp_task_priority) != 0) how.priority = t->priority.priority;
  return how;
}

namespace {

task* make_payload(task_state& me, std::int32_t flags, std::size_t bytes) {
  if ((flags & needs_options) == 0) return make_task(me, run_kmp_task, bytes);
  return make_task(me, run_kmp_task, bytes, alignof(kmp_header), options_by(flags));
}

// Written where it lies: the compiler copies a whole header with wider loads than its stores were,
// which these wait for.
kmp_task_t* begin_payload(task* engine, std::int32_t flags, std::size_t bytes,
                          std::size_t shared_bytes, kmp_routine routine) {
  void* const payload = new (engine->payload) kmp_header{engine, bytes, shared_bytes, flags, false};
  kmp_task_t* const t = task_behind(payload);
  t->routine = routine;
  t->part = 0;
  place_shared(t);
  return t;
}

// Apart, so that the usual way saves no register.
[[gnu::noinline]] kmp_task_t* allocate_slowly(std::int32_t flags, std::size_t bytes,
                                              std::size_t shared_bytes, kmp_routine routine) {
  task* const engine = make_payload(self(), flags, sizeof(kmp_header) + bytes + shared_bytes);
  return begin_payload(engine, flags, bytes, shared_bytes, routine);
}

// The compiler writes a task's priority after the task was allocated.
[[gnu::noinline]] void submit(kmp_task_t* t, dependences on = {}) {
  const kmp_header& h = header_of(t);
  if ((h.flags & kmp_task_priority) != 0) [[unlikely]]
    set_priority(h.engine, t->priority.priority);
  submit_task(self(), h.engine, on);
}

// Whether the call comes from the task's own routine. A new task is at part 0.
bool asks_for_next_part(kmp_task_t* t) {
  if (t->part == 0) return false;
  header_of(t).goes_on = true;
  return true;
}

}  // namespace

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

kmp_task_t* __kmpc_omp_task_alloc(ident_t*, gtid_t, std::int32_t flags, std::size_t bytes,
                                  std::size_t shared_bytes, kmp_routine routine) {
  constexpr std::size_t word = sizeof(void*);
  const std::size_t whole_words = (bytes + word - 1) / word * word;
  task_state* const me = current_task;
  if (me != nullptr && (flags & needs_options) == 0) [[likely]] {
    const std::size_t all = sizeof(kmp_header) + whole_words + shared_bytes;
    if (task* const engine = make_ready_task(*me, run_kmp_task, all)) [[likely]]
      return begin_payload(engine, flags, whole_words, shared_bytes, routine);
  }
  return allocate_slowly(flags, whole_words, shared_bytes, routine);
}

kmp_task_t* __kmpc_omp_target_task_alloc(ident_t* at, gtid_t gtid, std::int32_t flags,
                                         std::size_t bytes, std::size_t shared_bytes,
                                         kmp_routine routine, std::int64_t /*device*/) {
  return __kmpc_omp_task_alloc(at, gtid, flags, bytes, shared_bytes, routine);
}

std::int32_t __kmpc_omp_task(ident_t*, gtid_t gtid, kmp_task_t* t) {
  if (asks_for_next_part(t)) return 0;
  const kmp_header& h = header_of(t);
  // The compiled code has the thread's number.
  if ((h.flags & (kmp_task_priority | kmp_task_destructors)) != 0 ||
      !run_made_immediately(self(), h.engine, [&] { run_parts(gtid, t); })) {
    submit(t);
  }
  return 0;
}
std::int32_t __kmpc_omp_task_parts(ident_t* at, gtid_t gtid, kmp_task_t* t) {
  return __kmpc_omp_task(at, gtid, t);
}
std::int32_t __kmpc_omp_task_with_deps(ident_t*, gtid_t, kmp_task_t* t, std::int32_t count,
                                       const kmp_dependence* list, std::int32_t more,
                                       const kmp_dependence* more_list) {
  submit(t, dependence_list(count, list, more, more_list));
  return 0;
}

// The compiled code calls the task's routine between the two, and waits for dependences before.
void __kmpc_omp_task_begin_if0(ident_t*, gtid_t, kmp_task_t* t) {
  watch::made(header_of(t).engine, false);
  begin_undeferred(self(), header_of(t).engine);
}
void __kmpc_omp_task_complete_if0(ident_t*, gtid_t, kmp_task_t* t) {
  const kmp_header& h = header_of(t);
  if (h.goes_on) run_parts(global_thread_number(), t);
  if ((h.flags & kmp_task_destructors) != 0) t->destructors.destructors(global_thread_number(), t);
  end_undeferred(self(), h.engine);
}

void __kmpc_omp_taskwait_deps_51(ident_t*, gtid_t, std::int32_t count, const kmp_dependence* list,
                                 std::int32_t more, const kmp_dependence* more_list,
                                 std::int32_t no_wait) {
  const dependence_list on(count, list, more, more_list);
  if (no_wait != 0)
    submit_empty(self(), on);
  else
    ompt::taskwait(on);
}
void __kmpc_omp_wait_deps(ident_t* at, gtid_t gtid, std::int32_t count, const kmp_dependence* list,
                          std::int32_t more, const kmp_dependence* more_list) {
  __kmpc_omp_taskwait_deps_51(at, gtid, count, list, more, more_list, 0);
}
std::int32_t __kmpc_omp_taskwait(ident_t*, gtid_t) {
  ompt::taskwait();
  return 0;
}
std::int32_t __kmpc_omp_taskyield(ident_t*, gtid_t, int /*end_part*/) {
  ompt::taskyield(self());
  return 0;
}

void __kmpc_taskgroup(ident_t*, gtid_t) { ompt::group_begins(self()); }
void __kmpc_end_taskgroup(ident_t*, gtid_t) {
  task_state& me = self();
  auto* const reductions = static_cast<group_reductions*>(me.group->of_llvm);
  ompt::group_ends(me);
  combine_group(me, reductions);
}

void* __kmpc_task_allow_completion_event(ident_t*, gtid_t, kmp_task_t* t) {
  return event_of(header_of(t).engine);
}
// A task that another library completes.
void __kmpc_proxy_task_completed(gtid_t, kmp_task_t* t) { fulfill(event_of(header_of(t).engine)); }
void __kmpc_proxy_task_completed_ooo(kmp_task_t* t) { __kmpc_proxy_task_completed(0, t); }

std::int32_t __kmpc_omp_reg_task_with_affinity(ident_t*, gtid_t, kmp_task_t*, std::int32_t, void*) {
  return 0;  // a hint
}

}  // extern "C"
