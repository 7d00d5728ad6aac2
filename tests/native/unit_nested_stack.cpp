// How much stack a level of nested loops takes beside the program's own: the library at most 640
// bytes, for who runs the inner loop where it is met, and for who steals a part of one while it
// waits; with what the C++ headers add, 1,280. These are the dearest levels, whose loop the runtime
// has run: it times one now and then. A level that the program's own code runs takes less.
//
// The same recursion twice, with descriptors as doall/abi.h has them (so that everything that
// the program's side needs is in its own frames): by doall_run, and by a function that calls the
// body without a frame of its own. What lies between two levels on one thread's stack is
// larger in the former by what the library has there. The C++ headers are compiled into the
// program: what they add (the body's captures, the descriptor, default options, the open loop) is
// measured by parallel_for in the place of doall_run, and depends on the body and the compiler. The
// outermost loop is none of the levels: it is run otherwise.
#include <doall/abi.h>
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include "schedule/registry.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER
#endif

namespace doall {
namespace {

constexpr std::size_t most_bytes = 640;
constexpr std::size_t most_bytes_with_headers = 1'280;

// The stack is what the optimizer leaves of it.
const char* why_not_measured() {
#if defined(WITH_SANITIZER)
  return "a sanitizer pads the stack";
#elif !defined(__OPTIMIZE__)
  return "without optimization each inline function has a frame of its own";
#else
  return nullptr;
#endif
}

// A level of the recursion, as long as it is on this thread's stack.
class level_mark {
 public:
  [[gnu::always_inline]] level_mark(std::atomic<std::size_t>& most, bool nested)
      : around_(std::exchange(innermost,
                              reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) {
    if (!nested || around_ == 0) return;
    const std::size_t bytes = around_ - innermost;
    std::size_t known = most.load();
    while (known < bytes && !most.compare_exchange_weak(known, bytes)) {
    }
  }
  ~level_mark() { innermost = around_; }
  level_mark(const level_mark&) = delete;
  level_mark& operator=(const level_mark&) = delete;

 private:
  static thread_local std::uintptr_t innermost;
  const std::uintptr_t around_;
};
thread_local std::uintptr_t level_mark::innermost = 0;

constexpr int width = 3;
constexpr int depth_most = 6;

// `most` becomes the most that lies between two levels on one thread.
struct nest {
  int (*run)(const doall_loop* loop);
  const doall_schedule* how;
  std::atomic<std::size_t> most{0};

  void begin() { level(depth_most, false); }

 private:
  struct step {
    nest& of;
    int depth;
  };

  static int body(void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t,
                  std::uint32_t) {
    const step& at = *static_cast<step*>(context);
    for (std::uint64_t i = begin; i < end; ++i) at.of.level(at.depth - 1, true);
    return 0;
  }

  [[gnu::noinline]] void level(int depth, bool nested) {
    const level_mark mark(most, nested);
    if (depth == 0) {
      for (int i = 0; i < 3'000; ++i) asm volatile("");
      return;
    }
    step here{*this, depth};
    doall_loop loop{};
    loop.size = sizeof loop;
    loop.line = 1;
    loop.iterations = width;
    loop.body = body;
    loop.context = &here;
    loop.schedule = how;
    run(&loop);
  }
};

// A tail call: it is gone when the body runs.
[[gnu::noinline]] int run_plainly(const doall_loop* loop) {
  return loop->body(loop->context, 0, loop->iterations, 1, 0);
}

std::size_t between_plain_levels() {
  nest program{run_plainly, nullptr};
  program.begin();
  return program.most.load();
}

// The same by parallel_for, and by a plain loop.
template <bool Parallel>
struct cpp_nest {
  const loop_options& options;
  std::atomic<std::size_t> most{0};

  void begin() { level(depth_most, false); }

 private:
  [[gnu::noinline]] void level(int depth, bool nested) {
    const level_mark mark(most, nested);
    if (depth == 0) return;
    if constexpr (Parallel) {
      parallel_for(0, width, [&](int) { level(depth - 1, true); }, options);
    } else {
      for (int i = 0; i < width; ++i) level(depth - 1, true);
    }
  }
};

// Two workers, one of which is kept from stealing. Some of the loops are timed.
template <class Program>
std::size_t with_nobody_stealing(Program& program) {
  const thread_scope team(2);
  std::atomic<bool> done{false};
  parallel_for(
      0, 2,
      [&](int i) {
        if (i != 0) {
          while (!done) std::this_thread::yield();
          return;
        }
        for (int run = 0; run < 100; ++run) program.begin();
        done = true;
      },
      schedule::dynamic());
  return program.most.load();
}

std::size_t with_thieves(nest& program, const loop_options& options) {
  const thread_scope team(4);
  for (int run = 0; run < 20; ++run) {
    parallel_for(0, width, [&](int) { program.begin(); }, options);
  }
  return program.most.load();
}

std::size_t with_headers(const loop_options& options) {
  cpp_nest<false> plain{options};
  plain.begin();
  cpp_nest<true> parallel{options};
  return with_nobody_stealing(parallel) - plain.most.load();
}

void expect_little(const loop_options& options, const char* name) {
  if (why_not_measured() != nullptr) GTEST_SKIP() << why_not_measured();
  const std::size_t plain = between_plain_levels();
  nest quiet{doall_run, options.how.raw()};
  const std::size_t alone = with_nobody_stealing(quiet) - plain;
  nest busy{doall_run, options.how.raw()};
  const std::size_t robbed = with_thieves(busy, options) - plain;
  const std::size_t cpp = with_headers(options);
  std::printf("%-13s %3zu bytes, with thieves %3zu; parallel_for %3zu\n", name, alone, robbed, cpp);
  EXPECT_LE(alone, most_bytes) << name;
  EXPECT_LE(robbed, most_bytes) << name;
  EXPECT_LE(cpp, most_bytes_with_headers) << name;
}

// A chain of loops, each in the first iteration of the one around it.
struct chain {
  std::uintptr_t last = 0;

  [[gnu::noinline]] void level(int below) {
    last = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (below == 0) return;
    parallel_for(0, width, [&](int i) {
      if (i == 0) level(below - 1);
    });
  }
};

// The first loop of a thread: neither the thread nor the site is known, and the descent ends before
// any loop does.
std::size_t bytes_a_level_of_first_descent() {
  constexpr int levels = 1'000;
  std::size_t bytes = 0;
  std::thread([&] {
    const thread_scope team(2);
    chain c;
    c.level(levels);
    bytes = (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - c.last) / levels;
  }).join();
  return bytes;
}

TEST(stack_of_nests, the_first_descent) {
  if (why_not_measured() != nullptr) GTEST_SKIP() << why_not_measured();
  constexpr std::size_t most = 512;
  const std::size_t bytes = bytes_a_level_of_first_descent();
  std::printf("%zu bytes a level\n", bytes);
  EXPECT_LE(bytes, most);
}

TEST(stack_of_nests, the_default) { expect_little({}, "(default)"); }

TEST(stack_of_nests, every_schedule_that_splits) {
  for (const schedules::entry& e : schedules::registry()) {
    if (e.splits == nullptr && !is_hybrid(e)) continue;
    const std::string name(e.name);
    expect_little(schedule(name), name.c_str());
  }
}

}  // namespace
}  // namespace doall
