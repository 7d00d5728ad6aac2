// doall::worker_index and doall::per_worker: a value for each thread that runs iterations.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/apart.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {

// A small number that no other thread has: each gets the lowest that is free when it first asks,
// of the first 4,096, and keeps it until it ends. So 0 is usually the main thread, and numbers stay
// below the most threads that there were at a time, if these were fewer. An iteration runs on one
// thread, from its begin to its end. Cost: a call and a load.
inline std::uint32_t worker_index() { return doall_worker_index(); }

// A value for each thread that asks for one, on cache lines of its own, and what they come to:
//
//   doall::per_worker<std::vector<int>> found;
//   doall::parallel_for(0, n, [&](int i) { if (fits(i)) found.local().push_back(i); });
//   found.for_each([&](const std::vector<int>& some) { append(all, some); });
//
// local() may be called by any number of threads at once; the other functions while no loop uses
// the object. Values are visited and combined by ascending worker_index(). Which iterations a
// worker has run differs from run to run: for the same bits each time use parallel_reduce.
//
// A thread that ends leaves its value to the next thread with its number. One that waits for a
// nested loop in an iteration may run other iterations meanwhile, and these get the same value. So
// take a value anew after a nested loop, and leave it in order before one.
//
// T: any object type that the constructor's function makes. Cost of local(): some 2 ns; the first
// one of a thread makes its value.
template <class T>
class per_worker {
 public:
  // Each value is T().
  per_worker()
    requires std::default_initializable<T>
      : make_([] { return T(); }) {}

  // Each value is a copy of `first`.
  explicit per_worker(T first)
    requires std::copy_constructible<T>
      : make_([first = std::move(first)] { return first; }) {}

  // Each value is what make() returns, called by the thread that gets it.
  template <std::invocable Make>
    requires std::same_as<std::invoke_result_t<Make&>, T> && (!std::same_as<Make, T>)
  explicit per_worker(Make make) : make_(std::move(make)) {}

  ~per_worker() {
    clear();
    for (std::atomic<place*>& row : rows_) delete[] row.load(std::memory_order_relaxed);
  }
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;

  // The calling thread's value. Throws what making it throws.
  T& local() {
    place& mine = place_of(worker_index());
    // (1) relaxed; alone: only the thread with this number writes it, and numbers are handed over
    kept* its = mine.load(std::memory_order_relaxed);
    if (its == nullptr) {
      auto made = std::unique_ptr<kept>(new kept{make_()});
      // (2) relaxed; alone: as (1); make_() may have come here
      its = mine.load(std::memory_order_relaxed);
      // (3) release; pairs with (4): the value
      if (its == nullptr) mine.store(its = made.release(), std::memory_order_release);
    }
    return its->value;
  }

  // Calls visit(value) for each value.
  template <std::invocable<T&> Visit>
  void for_each(Visit visit) {
    for_each_place([&](place& p) {
      // (4) acquire; pairs with (3): the value
      if (kept* const its = p.load(std::memory_order_acquire)) visit(its->value);
    });
  }

  // combine(combine(first, second), third) ..., of copies; what the constructor's function makes if
  // no thread has asked.
  template <class Combine>
    requires std::invocable<Combine&, T, const T&> && std::copy_constructible<T>
  T combine(Combine with) {
    const T* first = nullptr;
    for_each([&](const T& value) {
      if (first == nullptr) first = &value;
    });
    if (first == nullptr) return make_();
    T all = *first;
    for_each([&](const T& value) {
      if (&value != first) all = std::invoke(with, std::move(all), value);
    });
    return all;
  }

  // How many threads have a value. O(their highest worker_index()).
  std::size_t size() const {
    std::size_t values = 0;
    for_each_place(
        [&](const place& p) { values += p.load(std::memory_order_relaxed) != nullptr ? 1U : 0U; });
    return values;
  }

  // Destroys the values; threads that ask get new ones.
  void clear() {
    for_each_place([](place& p) { delete p.exchange(nullptr, std::memory_order_acquire); });
  }

 private:
  struct alignas(detail::apart<T>) kept {
    T value;
  };
  using place = std::atomic<kept*>;

  // Row r has places for 64 * 2^r workers: a table that grows without moving what is there.
  static constexpr std::uint32_t first_row = 64;
  static constexpr std::uint32_t most_rows = 27;
  static std::size_t row_size(std::uint32_t row) { return std::size_t{first_row} << row; }

  place& place_of(std::uint32_t worker) {
    const auto row = static_cast<std::uint32_t>(std::bit_width(worker / first_row + 1)) - 1;
    // (5) acquire; pairs with (6): the row's places, empty
    place* places = rows_[row].load(std::memory_order_acquire);
    if (places == nullptr) places = make_row(row);
    return places[worker - (row_size(row) - first_row)];
  }

  [[gnu::noinline]] place* make_row(std::uint32_t row) {
    auto made = std::make_unique<place[]>(row_size(row));
    place* there = nullptr;
    // (6) acq_rel; pairs with (5), (6), (7): the row's places, empty
    if (!rows_[row].compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) {
      return there;  // another thread's
    }
    return made.release();
  }

  template <class Each>
  void for_each_place(Each each) const {
    for (std::uint32_t row = 0; row < most_rows; ++row) {
      // (7) acquire; pairs with (6): as (5)
      place* const places = rows_[row].load(std::memory_order_acquire);
      if (places == nullptr) continue;
      for (std::size_t i = 0; i < row_size(row); ++i) each(places[i]);
    }
  }

  std::function<T()> make_;
  std::array<std::atomic<place*>, most_rows> rows_{};
};

}  // namespace v0
}  // namespace doall
