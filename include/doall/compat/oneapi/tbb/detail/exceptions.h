// What oneTBB's loops throw by themselves.
#ifndef DOALL_COMPAT_EXCEPTIONS_H
#define DOALL_COMPAT_EXCEPTIONS_H

#include "base.h"

#include <exception>
#include <new>
#include <stdexcept>

namespace tbb {
inline namespace doall_v0 {

// By the destructor of a group that was not waited for.
class missing_wait : public std::exception {
 public:
  const char* what() const noexcept override { return "wait() is not called on the task_group"; }
};

// By finalize() in a piece of an algorithm.
class unsafe_wait : public std::runtime_error {
 public:
  unsafe_wait() : unsafe_wait("finalize() is called in a piece of an algorithm") {}
  using std::runtime_error::runtime_error;
};

// Names that handlers may have; nothing here throws them.
class user_abort : public std::exception {
 public:
  const char* what() const noexcept override { return "User-initiated abort has terminated"; }
};
class bad_last_alloc : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "bad allocation in previous or concurrent attempt";
  }
};

}  // namespace doall_v0
}  // namespace tbb

#endif
