// global_control: a limit for the whole process while an object lives.
#ifndef DOALL_COMPAT_GLOBAL_CONTROL_H
#define DOALL_COMPAT_GLOBAL_CONTROL_H

#include "detail/exceptions.h"
#include "info.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

namespace tbb {
inline namespace doall_v0 {

class global_control;

namespace detail {

struct controls {
  std::mutex mutex;
  std::array<std::vector<const global_control*>, 4> all;
};
[[gnu::visibility("hidden")]] inline controls& controls_of_process() {
  static controls all;
  return all;
}

}  // namespace detail

// Of several limits of a kind max_allowed_parallelism obeys the least. Algorithms of code that
// another shared library was built with have a limit of their own. The threads' stack size is
// doall's to choose; it is only remembered.
class global_control {
 public:
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    scheduler_handle,
    parameter_max
  };

  global_control(parameter what, std::size_t value) : what_(what), value_(value) {
    if (what == max_allowed_parallelism && value == 0)
      throw std::invalid_argument("global_control: max_allowed_parallelism is 0");
    change([&](auto& own) { own.push_back(this); });
  }
  ~global_control() {
    change([&](auto& own) { own.erase(std::find(own.begin(), own.end(), this)); });
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

  static std::size_t active_value(parameter what) {
    detail::controls& all = detail::controls_of_process();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const std::vector<const global_control*>& own = all.all[what];
    if (!own.empty()) return value_of(what, own);
    if (what == max_allowed_parallelism)
      return static_cast<std::size_t>(info::default_concurrency());
    return what == thread_stack_size ? std::size_t{8} << 20 : 0;
  }

 private:
  static std::size_t value_of(parameter what, const std::vector<const global_control*>& own) {
    const auto less = [](const auto* a, const auto* b) { return a->value_ < b->value_; };
    if (what == max_allowed_parallelism)
      return (*std::min_element(own.begin(), own.end(), less))->value_;
    return (*std::max_element(own.begin(), own.end(), less))->value_;
  }
  template <class Change>
  void change(Change by) {
    detail::controls& all = detail::controls_of_process();
    const std::lock_guard<std::mutex> lock(all.mutex);
    by(all.all[what_]);
    if (what_ != max_allowed_parallelism) return;
    const std::size_t most = all.all[what_].empty() ? 0 : value_of(what_, all.all[what_]);
    // (1) relaxed; alone: the limit is a number (detail/arena.h)
    detail::most_threads.store(static_cast<std::uint32_t>(std::min<std::size_t>(most, 1 << 16)),
                               std::memory_order_relaxed);
  }

  const parameter what_;
  const std::size_t value_;
};

// libdoall's threads end with the process; a child of a fork has its own.
class task_scheduler_handle {
 public:
  task_scheduler_handle() = default;
  using attach = tbb::attach;
  task_scheduler_handle(attach) : is_set_(true) {}
  explicit operator bool() const noexcept { return is_set_; }
  void release() { is_set_ = false; }

 private:
  bool is_set_ = false;
};

// False, or an exception, in a piece of an algorithm.
inline bool finalize(task_scheduler_handle& handle, const std::nothrow_t&) noexcept {
  const bool is_outside = detail::here.in == nullptr;
  if (is_outside) handle.release();
  return is_outside;
}
inline void finalize(task_scheduler_handle& handle) {
  if (!finalize(handle, std::nothrow)) throw unsafe_wait();
}

}  // namespace doall_v0
}  // namespace tbb

#endif
