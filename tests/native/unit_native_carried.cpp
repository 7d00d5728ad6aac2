// A native loop's context that a task carries to each worker (abi.h, doall_loop::copied), along a
// tree, where workers hand their copies on.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include "support/file_environment.hpp"

namespace {

// Before the runtime reads it.
const doall::tests::file_environment trees(__FILE__, "DOALL_BARRIER", "tree");

constexpr std::uint32_t workers_most = 12;
constexpr int rounds = 200;
const doall::schedule blocks("static");

// As many words as a loop may capture, and what its iterations read of them.
template <std::size_t Words>
struct captured {
  std::array<std::uint64_t, Words> words;
  std::atomic<std::uint64_t>* sum;

  void operator()(std::uint64_t i) const { *sum += std::accumulate(words.begin(), words.end(), i); }
};

template <std::size_t Words>
void expect_read_in_each_loop() {
  for (std::uint32_t workers = 2; workers <= workers_most; ++workers) {
    const doall::thread_scope team(workers);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::atomic<std::uint64_t> sum{0};
      captured<Words> body{{}, &sum};
      std::iota(body.words.begin(), body.words.end(), round);
      const std::uint64_t all =
          std::accumulate(body.words.begin(), body.words.end(), std::uint64_t{0});
      doall::parallel_for(std::uint64_t{0}, std::uint64_t{workers}, std::as_const(body), blocks);
      ASSERT_EQ(sum, workers * all + workers * (workers - 1) / 2)
          << Words << " words, " << workers << " workers, round " << round;
    }
  }
}

TEST(Carried, BodiesReadWhatTheyCaptured) {
  expect_read_in_each_loop<1>();
  expect_read_in_each_loop<4>();
  expect_read_in_each_loop<5>();   // with the rest of the piece a whole line
  expect_read_in_each_loop<6>();   // a word too many
  expect_read_in_each_loop<20>();  // not carried
}

TEST(Carried, AnExceptionOfACopyComesToTheCaller) {
  const doall::thread_scope team(workers_most);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t thrower = round % workers_most;
    const auto loop = [&] {
      doall::parallel_for(
          0U, workers_most,
          [thrower](std::uint32_t i) {
            if (i == thrower) throw std::runtime_error("here");
          },
          blocks);
    };
    ASSERT_THROW(loop(), std::runtime_error) << "iteration " << thrower;
  }
}

// A context of which the first part may be copied.
struct context {
  std::array<std::uint64_t, 12> words;
  std::atomic<int> wrong{0};
  std::atomic<int> elsewhere{0};  // calls with a copy
  std::uint64_t copied;

  static int check(void* given, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    // The first word says where the rest is; a copy has no more than it was to have.
    auto* const words = static_cast<const std::uint64_t*>(given);
    auto& whole = *reinterpret_cast<context*>(words[0]);
    if (given != &whole) {
      ++whole.elsewhere;
      if (reinterpret_cast<std::uintptr_t>(given) % 64 != 0) ++whole.wrong;
    }
    for (std::size_t i = 1; i < whole.copied / sizeof(std::uint64_t); ++i) {
      if (words[i] != whole.words[i]) ++whole.wrong;
    }
    return 0;
  }
};

// Runs loops that say so of their context; returns how many calls had a copy.
int copies(std::uint64_t copied, std::uint32_t size = sizeof(doall_loop)) {
  context all{};
  all.words[0] = reinterpret_cast<std::uintptr_t>(&all);
  all.copied = copied;
  doall_loop loop{};
  loop.size = size;
  loop.iterations = workers_most;
  loop.body = context::check;
  loop.context = &all;
  loop.schedule = blocks.raw();
  loop.copied = copied;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 1; i < all.words.size(); ++i) all.words[i] = round + i;
    EXPECT_EQ(doall_run(&loop), 0);
  }
  EXPECT_EQ(all.wrong, 0) << copied << " bytes";
  return all.elsewhere;
}

TEST(Carried, OnlyWholeWordsThatFitInALineAreCopied) {
  const doall::thread_scope team(workers_most);
  for (const std::uint64_t bytes : {8, 16, 24, 32, 40, 48, 56, 64}) {
    EXPECT_LE(copies(bytes), rounds * static_cast<int>(workers_most - 1));
  }
  for (const std::uint64_t bytes : {0, 12, 65, 72, 80}) EXPECT_EQ(copies(bytes), 0) << bytes;
  // A descriptor that ends before the member.
  EXPECT_EQ(copies(64, offsetof(doall_loop, copied)), 0);
}

// Whether copies are made at all depends on workers that come in time; among so many some do.
TEST(Carried, WorkersThatComeHaveCopies) {
  const doall::thread_scope team(2);
  int all = 0;
  for (int tries = 0; tries < 1000 && all == 0; ++tries) all = copies(64);
  EXPECT_GT(all, 0);
}

}  // namespace
