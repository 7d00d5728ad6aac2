// A call of an outlined function with its arguments, which each thread of a region makes.
#pragma once

#include <array>
#include <cstdarg>
#include <cstdint>
#include <memory>

#include "base/cache_line.hpp"
#include "omp/source_place.hpp"
#include "omp/team_shape.hpp"

namespace doall::omp {

using microtask = void (*)(std::int32_t* global, std::int32_t* bound, ...);

class alignas(base::line_bytes) microtask_call {
 public:
  // What is passed in the first line: what other threads read of the usual call is one transfer.
  static constexpr std::size_t few = 6;

  // Ends the program with a message if there are more arguments than any program has.
  microtask_call(microtask body, int count, va_list arguments);
  microtask_call(const microtask_call&) = delete;
  microtask_call& operator=(const microtask_call&) = delete;

  // As the calling thread's task.
  void run() const;
  static void run_one(void* call);

 private:
  using caller = void (*)(microtask, std::int32_t*, std::int32_t*, void* const*);

  microtask body_;
  caller caller_ = nullptr;
  std::array<void*, few> few_{};  // if there are more, the first points to all
  std::array<void*, 16> some_;
  std::unique_ptr<void*[]> many_;
};

// What the pushed clauses ask of the next construct; forgets them.
team_wish take_wish();
void push_threads(std::int32_t threads);  // 0 and less: no wish

// One parallel region.
void fork(const microtask_call& call, const team_wish& wish, const source_place& place);

}  // namespace doall::omp
