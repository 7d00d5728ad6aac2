// A value of the process that is made at its first use.
//
// Takes the place of a function's static, whose guard is a lock: if a fork happens while another
// thread makes the value, the child would wait for a thread that it does not have. Here no thread
// waits: threads that ask at the same time make one value each, all get the first to be ready, and
// the others are destroyed. So the function that makes it must be fit to run twice.
//
// Never destroyed at the end of a process, for loops may run while its static objects are
// destroyed; unload.hpp says when to drop() it. Any thread may ask. Cost: one load.
#pragma once

#include <memory>

#include "base/sync.hpp"

namespace doall::base {

template <class T>
class lazy {
 public:
  // make() returns a T.
  template <class Make>
  T& get(Make make) {
    // (1) acquire; pairs with (2): the whole value
    T* const there = value_.load(sync::acquire);
    return there != nullptr ? *there : first(make);
  }

  // Null: it has not been made yet.
  T* if_made() const {
    // (5) acquire; pairs with (2): the whole value
    return value_.load(sync::acquire);
  }

  // Leaves the value to the threads that have it; the next get() makes another. Called while no
  // other thread asks.
  void forget() {
    // (6) relaxed; alone: no other thread asks
    value_.store(nullptr, sync::relaxed);
  }

  // Destroys the value; the next get() makes another. Called while no other thread asks.
  void drop() {
    // (4) relaxed; alone: no other thread asks
    delete value_.exchange(nullptr, sync::relaxed);
  }

 private:
  template <class Make>
  [[gnu::noinline]] T& first(Make& make) {
    std::unique_ptr<T> mine(new T(make()));
    T* there = nullptr;
    // (2) release; pairs with (1), (3), (5): the whole value
    // (3) acquire; pairs with (2): what another thread has made
    if (!value_.compare_exchange_strong(there, mine.get(), sync::release, sync::acquire)) {
      return *there;
    }
    return *mine.release();
  }

  sync::atomic<T*> value_{nullptr};
};

}  // namespace doall::base
