// A value of the process that is made when somebody first asks for it.
//
// Where else a static of a function would do: its guard is a lock, and the child of
// a fork that happens while another thread makes the value would wait for a thread
// that it does not have. Here nobody waits: threads that ask at the same time make
// one each, the first to be ready is everybody's, the others are destroyed. So what
// makes it must be fit to run twice.
//
// Never destroyed at the end of a process, for loops may run while its static objects
// die; unload.hpp says when to drop() it. Any thread may ask. Cost: one load.
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

  // Null: nobody has asked yet.
  T* if_made() const {
    // (5) acquire; pairs with (2): the whole value
    return value_.load(sync::acquire);
  }

  // Destroys what there is; the next get() makes another. While no other thread asks.
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
