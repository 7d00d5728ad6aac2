// What enumerable_thread_specific keeps: values by thread, and in the order in which they came.
#ifndef DOALL_COMPAT_THREADS_VALUES_H
#define DOALL_COMPAT_THREADS_VALUES_H

#include "base.h"

#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// The kernel's number of this thread, asked for once.
[[gnu::visibility("hidden")]] inline thread_local long own_id = 0;
inline long thread_id() {
  if (own_id == 0) own_id = syscall(SYS_gettid);
  return own_id;
}

// Places for pointers by doall_worker_index(): a table that grows without moving what is there.
class places_of_threads {
 public:
  using place = std::atomic<void*>;
  places_of_threads() = default;
  ~places_of_threads() {
    // (7) relaxed; alone: nobody else has it any more
    for (std::atomic<place*>& row : rows_) delete[] row.load(std::memory_order_relaxed);
  }
  places_of_threads(const places_of_threads&) = delete;
  places_of_threads& operator=(const places_of_threads&) = delete;

  place& mine() {
    const std::uint32_t number = doall_worker_index();
    std::uint32_t row = 0;
    while ((number / first_row + 1) >> (row + 1) != 0) ++row;
    // (1) acquire; pairs with (2): the row's places, empty
    place* places = rows_[row].load(std::memory_order_acquire);
    if (places == nullptr) places = make_row(row);
    return places[number - (size_of(row) - first_row)];
  }

  // Not while a thread asks.
  template <class Visit>
  void each(const Visit& visit) {
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      // (8) relaxed; alone: no thread asks meanwhile
      place* const places = rows_[row].load(std::memory_order_relaxed);
      for (std::size_t i = 0; places != nullptr && i < size_of(row); ++i) visit(places[i]);
    }
  }
  // visit(place, the same place of another).
  template <class Visit>
  void each_with(places_of_threads& other, const Visit& visit) const {
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      // (9) relaxed; alone: as (8)
      const place* const mine = rows_[row].load(std::memory_order_relaxed);
      if (mine == nullptr) continue;
      // (10) relaxed; alone: as (8)
      place* its = other.rows_[row].load(std::memory_order_relaxed);
      if (its == nullptr) its = other.make_row(row);
      for (std::size_t i = 0; i < size_of(row); ++i) visit(mine[i], its[i]);
    }
  }
  void swap(places_of_threads& other) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      // (11) relaxed; alone: as (8)
      place* const mine = rows_[r].load(std::memory_order_relaxed);
      // (12) relaxed; alone: as (8)
      rows_[r].store(other.rows_[r].load(std::memory_order_relaxed), std::memory_order_relaxed);
      // (13) relaxed; alone: as (8)
      other.rows_[r].store(mine, std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::uint32_t first_row = 64;
  static std::size_t size_of(std::uint32_t row) { return std::size_t{first_row} << row; }

  place* make_row(std::uint32_t row) {
    std::unique_ptr<place[]> made(new place[size_of(row)]());
    place* there = nullptr;
    // (2) acq_rel; pairs with (1): the row's places, empty
    if (!rows_[row].compare_exchange_strong(there, made.get(), std::memory_order_acq_rel))
      return there;
    return made.release();
  }

  std::array<std::atomic<place*>, 27> rows_{};
};

// The values, whatever an object's allocator.
template <class T>
class ets_store {
 public:
  struct from_function {};
  struct alignas(alignof(T) > 128 ? alignof(T) : 128) kept {
    template <class Make>
    kept(from_function, Make& make) : value(make()) {}
    template <class... Arguments>
    explicit kept(std::in_place_t, Arguments&&... arguments)
        : value(std::forward<Arguments>(arguments)...) {}
    T value;
    long owner = 0;
  };
  using maker = std::function<std::unique_ptr<kept>()>;

  template <class... Arguments>
  static std::unique_ptr<kept> made_of(Arguments&&... arguments) {
    return std::unique_ptr<kept>(new kept(std::in_place, std::forward<Arguments>(arguments)...));
  }

  explicit ets_store(maker make) : make_(std::move(make)) {}
  ets_store(const ets_store& other) : make_(other.make_) { copy_values(other); }
  ets_store(ets_store&& other) : make_(other.make_) { swap_values(other); }
  ets_store& operator=(const ets_store& other) {
    if (this == &other) return *this;
    clear();
    make_ = other.make_;
    if constexpr (std::is_copy_constructible_v<T>) copy_values(other);
    return *this;
  }
  ets_store& operator=(ets_store&& other) {
    if (this == &other) return *this;
    clear();
    make_ = other.make_;
    swap_values(other);
    return *this;
  }

  T& local(bool& exists) {
    places_of_threads::place& mine = places_.mine();
    // (3) relaxed; alone: only the thread with this number writes it
    void* its = mine.load(std::memory_order_relaxed);
    // It may be of a thread that has ended.
    exists = its != nullptr && static_cast<kept*>(its)->owner == thread_id();
    if (!exists) {
      std::unique_ptr<kept> made = make_();
      made->owner = thread_id();
      its = made.get();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        all_.push_back(std::move(made));
      }
      // (4) relaxed; alone: as (3)
      mine.store(its, std::memory_order_relaxed);
    }
    return static_cast<kept*>(its)->value;
  }
  void clear() {
    // (5) relaxed; alone: as (8)
    places_.each([](auto& place) { place.store(nullptr, std::memory_order_relaxed); });
    all_.clear();
  }
  std::size_t size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return all_.size();
  }
  T& at(std::size_t i) { return all_[i]->value; }
  const T& at(std::size_t i) const { return all_[i]->value; }
  std::unique_ptr<kept> make() const { return make_(); }

 private:
  void copy_values(const ets_store& other) {
    for (const std::unique_ptr<kept>& each : other.all_) {
      all_.push_back(made_of(static_cast<const T&>(each->value)));
      all_.back()->owner = each->owner;
    }
    // Threads keep theirs.
    other.places_.each_with(places_, [&](const auto& from, auto& to) {
      // (6) relaxed; alone: as (8)
      void* const its = from.load(std::memory_order_relaxed);
      for (std::size_t i = 0; its != nullptr && i < all_.size(); ++i)
        // (14) relaxed; alone: as (8)
        if (other.all_[i].get() == its) to.store(all_[i].get(), std::memory_order_relaxed);
    });
  }
  void swap_values(ets_store& other) {
    all_.swap(other.all_);
    places_.swap(other.places_);
  }

  maker make_;
  places_of_threads places_;
  mutable std::mutex mutex_;  // of all_ while threads ask
  std::vector<std::unique_ptr<kept>> all_;
};

// Random access by number to the values of `Of`, const or not.
template <class Of, class Value>
class ets_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = Value*;
  using reference = Value&;

  ets_iterator() = default;
  ets_iterator(Of& of, std::size_t at) : of_(&of), at_(at) {}
  template <class OtherOf, class OtherValue,
            class = std::enable_if_t<std::is_convertible_v<OtherOf*, Of*>>>
  ets_iterator(const ets_iterator<OtherOf, OtherValue>& other) : of_(other.of_), at_(other.at_) {}

  reference operator*() const { return of_->at(at_); }
  pointer operator->() const { return &of_->at(at_); }
  reference operator[](difference_type k) const { return *(*this + k); }
  ets_iterator& operator++() { return ++at_, *this; }
  ets_iterator operator++(int) { return ets_iterator(*of_, at_++); }
  ets_iterator& operator--() { return --at_, *this; }
  ets_iterator operator--(int) { return ets_iterator(*of_, at_--); }
  ets_iterator& operator+=(difference_type k) { return at_ += static_cast<std::size_t>(k), *this; }
  ets_iterator& operator-=(difference_type k) { return at_ -= static_cast<std::size_t>(k), *this; }
  friend ets_iterator operator+(ets_iterator i, difference_type k) { return i += k; }
  friend ets_iterator operator+(difference_type k, ets_iterator i) { return i += k; }
  friend ets_iterator operator-(ets_iterator i, difference_type k) { return i -= k; }
  template <class B, class V>
  difference_type operator-(const ets_iterator<B, V>& b) const {
    return static_cast<difference_type>(at_) - static_cast<difference_type>(b.at_);
  }
  template <class B, class V>
  bool operator==(const ets_iterator<B, V>& b) const {
    return at_ == b.at_ && of_ == b.of_;
  }
  template <class B, class V>
  bool operator!=(const ets_iterator<B, V>& b) const {
    return !(*this == b);
  }
  template <class B, class V>
  bool operator<(const ets_iterator<B, V>& b) const {
    return at_ < b.at_;
  }
  template <class B, class V>
  bool operator>(const ets_iterator<B, V>& b) const {
    return b < *this;
  }
  template <class B, class V>
  bool operator<=(const ets_iterator<B, V>& b) const {
    return !(b < *this);
  }
  template <class B, class V>
  bool operator>=(const ets_iterator<B, V>& b) const {
    return !(*this < b);
  }

 private:
  template <class, class>
  friend class ets_iterator;
  Of* of_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
