// Moving a worker's thread (src/threads/placement.hpp) and leaving it as it was.
#include "threads/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "topology/domains.hpp"

namespace doall::team {
namespace {

// A thread that is busy until it is asked to end, at rest as those that wait are.
class busy_thread {
 public:
  explicit busy_thread(std::vector<int> domain = {})
      : thread_([this, domain] {
          place.of_this_thread(domain);
          place.rest();
          id = gettid();
          while (!ends_) turns++;
        }) {
    while (turns == 0) std::this_thread::yield();
  }
  ~busy_thread() {
    ends_ = true;
    thread_.join();
  }

  placement place;
  std::atomic<pid_t> id{0};
  std::atomic<long> turns{0};

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

bool several_cpus() { return cpu_mask::of_thread(0).has_several(); }

TEST(CpuMask, IsThatOfTheThread) {
  const cpu_mask mine = cpu_mask::of_thread(0);
  EXPECT_TRUE(mine.has(sched_getcpu()));
  for (const int none : {-1, cpu_mask::most_cpus, 1 << 20}) {
    EXPECT_FALSE(mine.has(none));
    EXPECT_EQ(mine.without(none), mine);
    EXPECT_EQ(cpu_mask::only(none), cpu_mask());
  }
  EXPECT_FALSE(cpu_mask::only(sched_getcpu()).has_several());
  EXPECT_TRUE(cpu_mask::only(sched_getcpu()).has(sched_getcpu()));
  EXPECT_FALSE(mine.without(sched_getcpu()).has(sched_getcpu()));
}

TEST(Placement, TellsWhetherAThreadRuns) {
  busy_thread busy;
  const auto before_ns = busy.place.used_ns();
  EXPECT_GT(before_ns, 0U);
  const long turns = busy.turns;
  while (busy.turns < turns + 1'000'000) std::this_thread::yield();
  EXPECT_GT(busy.place.used_ns(), before_ns);
}

TEST(Placement, PullsAThreadHereAndLetsItLeaveAgain) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  busy_thread busy;
  const cpu_mask home = cpu_mask::of_thread(busy.id);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(busy.place.pull());
    EXPECT_EQ(cpu_mask::of_thread(busy.id), home);
  }
}

TEST(Placement, LeavesAThreadAloneThatSomebodyElseHasMoved) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  busy_thread busy;
  const cpu_mask moved = cpu_mask::of_thread(busy.id).without(sched_getcpu());
  ASSERT_TRUE(moved.apply_to(busy.id));
  EXPECT_FALSE(busy.place.pull());
  EXPECT_EQ(cpu_mask::of_thread(busy.id), moved);
}

// A thread that has risen is where it was, and stays there: it may run the program's code.
TEST(Placement, MovesNoThreadThatDoesNotRest) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  const cpu_mask home = cpu_mask::of_thread(0);
  placement place;
  std::atomic<int> stage{0};
  int moved = 0;
  std::thread riser([&] {
    place.of_this_thread({});
    stage = 1;
    for (int i = 0; i < 2000; ++i) {
      place.rest();
      for (int look = 0; look < i % 20; ++look) cpu_mask::of_thread(0);  // time to be pulled
      place.rise();
      for (int look = 0; look < 3; ++look) moved += cpu_mask::of_thread(0) != home ? 1 : 0;
    }
    stage = 2;
    while (stage == 2) std::this_thread::yield();
  });
  while (stage == 0) std::this_thread::yield();
  while (stage < 2) {
    place.pull();
    place.send_away();
    std::this_thread::yield();
  }
  EXPECT_FALSE(place.pull());
  stage = 3;
  riser.join();
  EXPECT_EQ(moved, 0);
}

// A move is not lost to a thread that pulls meanwhile, and puts back what it found.
TEST(Placement, MovesAThreadThatOthersPull) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  const cpu_mask wide = cpu_mask::of_thread(0);
  const cpu_mask narrow = cpu_mask::only(sched_getcpu());
  placement place;
  std::atomic<int> stage{0};
  int lost = 0;
  std::thread mover([&] {
    place.of_this_thread({});
    place.rest();
    stage = 1;
    for (int i = 0; i < 200; ++i) {
      place.move(narrow);
      lost += cpu_mask::of_thread(0) != narrow ? 1 : 0;
      place.move(wide);
      for (int look = 0; look < 50; ++look) cpu_mask::of_thread(0);  // time to be pulled
    }
    stage = 2;
  });
  while (stage == 0) std::this_thread::yield();  // a placement is pulled once it is known
  while (stage < 2) {
    place.pull();
    std::this_thread::yield();  // the mover may be in this CPU's queue now
  }
  mover.join();
  EXPECT_EQ(lost, 0);
}

TEST(Placement, EvadesACpuAndMayComeBack) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  placement mine;
  mine.of_this_thread({});
  const cpu_mask home = cpu_mask::of_thread(0);
  int away = 0;
  for (int i = 0; i < 100; ++i) {
    const int cpu = sched_getcpu();
    mine.evade(cpu);
    away += sched_getcpu() != cpu ? 1 : 0;
    ASSERT_EQ(cpu_mask::of_thread(0), home);
  }
  EXPECT_GT(away, 50);
  mine.evade(1 << 20);  // of which the thread has never heard
  EXPECT_EQ(cpu_mask::of_thread(0), home);
}

int another_cpu() {
  const int here = sched_getcpu();
  int cpu = 0;
  while (cpu == here || !cpu_mask::of_thread(0).has(cpu)) ++cpu;
  return cpu;
}

// Two domains, and this thread stays in one of them.
class TwoDomains : public testing::Test {
 protected:
  void SetUp() override {
    if (!several_cpus()) GTEST_SKIP() << "one CPU";
    other_ = another_cpu();
    here_ = sched_getcpu();
    ASSERT_TRUE(cpu_mask::only(here_).apply_to(0));
  }
  void TearDown() override { before_.apply_to(0); }

  const cpu_mask before_ = cpu_mask::of_thread(0);
  int here_ = 0;
  int other_ = 0;
};

TEST_F(TwoDomains, AThreadIsNotPulledOutOfItsOwn) {
  placement of_another;
  std::atomic<int> stage{0};
  std::thread worker([&] {
    before_.apply_to(0);
    of_another.of_this_thread(std::array{other_});
    of_another.rest();
    stage = 1;
    while (stage == 1) {
    }
  });
  while (stage == 0) std::this_thread::yield();
  EXPECT_FALSE(of_another.pull());
  stage = 2;
  worker.join();
}

TEST_F(TwoDomains, AThreadEvadesToItsOwnAlone) {
  int away = 0;
  std::thread worker([&] {
    placement mine;
    before_.apply_to(0);
    mine.of_this_thread(std::array{here_});
    for (int i = 0; i < 50; ++i) {
      cpu_mask::only(here_).apply_to(0);  // it runs here now
      before_.apply_to(0);
      const int cpu = sched_getcpu();
      mine.evade(cpu);  // it may have left by itself: then there is a CPU of its own to go to
      away += cpu == here_ && sched_getcpu() != here_ ? 1 : 0;
      EXPECT_EQ(cpu_mask::of_thread(0), before_);
    }
  });
  worker.join();
  EXPECT_LT(away, 25);  // the kernel's own doing
}

// 0 1 | 2 3, and the CPUs of machines that are not here.
TEST(Domains, TellTheCpusBesideAWorker) {
  using topology::cpus_in_domain_of;
  using cpus = std::vector<int>;
  const std::vector<unsigned> two = {0, 0, 1, 1};
  const cpus order = {0, 2, 1, 3};
  EXPECT_EQ(cpus_in_domain_of(0, two, order), (cpus{0, 2}));
  EXPECT_EQ(cpus_in_domain_of(3, two, order), (cpus{1, 3}));
  EXPECT_EQ(cpus_in_domain_of(5, two, order), (cpus{0, 2}));
  EXPECT_EQ(cpus_in_domain_of(2, {}, order), cpus{});
  // A core's second hardware thread comes last: in the same domain.
  const std::vector<unsigned> again = {0, 1, 0, 1};
  EXPECT_EQ(cpus_in_domain_of(2, again, order), (cpus{0, 1}));
  // DOALL_DOMAINS=2,2 on two CPUs: both domains have both.
  EXPECT_EQ(cpus_in_domain_of(3, two, cpus{4, 7}), (cpus{4, 7}));
}

}  // namespace
}  // namespace doall::team
