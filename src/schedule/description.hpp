// How a schedule describes itself. Its class has, in its own header,
//
//   struct options { u64 chunk = 0; ... };   what may be given behind its name: words of 64 bits,
//                                            0: not given. Nothing, if nothing may
//   static constexpr description about = {.name = ..., ..., .parameters = {...}};
//                                            the same options, in that order, as the grammar, the
//                                            command line and the documents have them
//
// The registry is a list of such types; all else that lists schedules is made from it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "base/arith.hpp"

namespace doall::schedules {

using base::u64;

// As many options as one schedule may have of its own.
inline constexpr std::size_t most_options = 6;

enum dealing : u64 { in_order = 1, in_reverse };

// A schedule's options as they are given, whichever it is; 0 means "not given".
struct params {
  std::array<u64, most_options> own{};  // those of its struct options
  u64 order = 0;  // of enum dealing; the registry sees to it, no schedule does

  template <class Options>
  static constexpr params of(const Options& given, u64 order = 0) {
    static_assert(std::is_trivially_copyable_v<Options> && sizeof(Options) <= sizeof own);
    params p{.order = order};
    const auto words = std::bit_cast<std::array<u64, sizeof(Options) / sizeof(u64)>>(given);
    std::copy(words.begin(), words.end(), p.own.begin());
    return p;
  }

  template <class Options>
  constexpr Options as() const {
    static_assert(std::is_trivially_copyable_v<Options> && sizeof(Options) <= sizeof own);
    std::array<u64, sizeof(Options) / sizeof(u64)> words{};
    std::copy_n(own.begin(), words.size(), words.begin());
    return std::bit_cast<Options>(words);
  }

  // The same of a schedule's first option, which OpenMP calls its chunk, whichever schedule it is.
  static constexpr params of_first(u64 value) { return {.own = {value}}; }
  constexpr u64 first() const { return own[0]; }

  // Word by word: an array's own == calls memcmp(), which ThreadSanitizer watches in programs that
  // are built with it, while it knows nothing of this library's orders.
  constexpr bool operator==(const params& other) const {
    u64 differs = order ^ other.order;
    for (std::size_t i = 0; i < own.size(); ++i) differs |= own[i] ^ other.own[i];
    return differs == 0;
  }
};

// What a schedule promises or wants, as a set.
enum property : unsigned {
  monotonic = 1U << 0,       // each worker's chunks come in increasing order (OpenMP's word)
  uses_costs = 1U << 1,      // asks for costs per iteration when there are any
  adapts = 1U << 2,          // reads `feedback`
  keeps_affinity = 1U << 3,  // an iteration has the same worker each time, if load allows
  splitting = 1U << 4,       // its unit is a range that workers halve, not a loop they share
  remembers = 1U << 5,       // wants memory of the loop's last run
};

// A short list, as a value.
template <class T, std::size_t Most>
class few {
 public:
  constexpr few() = default;
  constexpr few(std::initializer_list<T> items) : size_(items.size()) {
    std::copy(items.begin(), items.end(), items_.begin());
  }

  constexpr few with(const T& more) const {
    few longer = *this;
    longer.items_[longer.size_++] = more;
    return longer;
  }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T* data() const { return items_.data(); }
  constexpr const T* begin() const { return items_.data(); }
  constexpr const T* end() const { return items_.data() + size_; }
  constexpr const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::array<T, Most> items_{};
  std::size_t size_ = 0;
};

// An option as the grammar has it: `key=value`, or bare when positional. Its value is a whole
// number of its range, or, if it has words, one of them: the first stands for 1, and so on. A word
// that is the default always counts as not given.
struct parameter {
  std::string_view key;
  bool positional = false;   // may be given as a bare number; these come first, in order
  std::string_view meaning;  // with its default; for tables and messages
  few<std::string_view, 4> words = {};
  std::string_view default_word = {};  // empty: the default depends
  bool alone = false;                  // its key alone stands for its last word
  bool grain = false;                  // by default as many iterations as take 1,000 cycles
  bool iterations = false;             // a number of iterations (in_cells, grammar.hpp)
  u64 least = 1;                       // its range; 0 stands for "not given"
  u64 most = base::u64_max;

  constexpr bool takes(u64 number) const { return least <= number && number <= most; }
  constexpr bool is_bounded() const { return least != 1 || most != base::u64_max; }
};

struct description {
  static constexpr int always = -1;

  std::string_view name;
  few<std::string_view, 4> aliases = {};
  std::string_view paper;    // its key in REFERENCES.md
  std::string_view summary;  // one line
  few<parameter, most_options> parameters = {};
  unsigned properties = 0;  // of enum property
  int costs_if = always;    // uses_costs: always; or if this option has its last word
};

}  // namespace doall::schedules
