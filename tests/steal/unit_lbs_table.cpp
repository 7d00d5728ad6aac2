// LBS's Table 1: deque transactions, synchronisation points and deque checks of a loop of N
// iterations, in the worst, the intermediate and the best case. Exact, on the engine itself,
// with scripted thieves.
//
//   worst         whatever is pushed is stolen at once, and its thief robbed in its turn
//   intermediate  the deque is empty when the loop is met, and nobody steals
//   best          the deque has something from a loop around, and nobody steals
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "schedule/grammar.hpp"
#include "schedule/splitting.hpp"
#include "steal/roster.hpp"
#include "steal/stint.hpp"

namespace doall {
namespace {

using steal::u64;

struct nobody_steals {
  static void pushed(steal::worker_thread&, const steal::frame&, const steal::part&) {}
  static void completed(steal::worker_thread&) {}
};

// Runs a stay to its end. Returns how many iterations it ran.
template <class Env>
u64 run(steal::stint& stay, Env& env) {
  u64 iterations = 0;
  for (steal::piece p = stay.next(env); !p.empty(); p = stay.next(env)) {
    iterations += p.end - p.begin;
  }
  return iterations;
}

// Each part that is pushed is stolen by a new worker, who runs it before the other goes on.
struct thief_at_once {
  std::vector<std::unique_ptr<steal::worker_thread>> thieves;
  u64 iterations = 0;

  void pushed(steal::worker_thread& victim, const steal::frame&, const steal::part&) {
    thieves.push_back(std::make_unique<steal::worker_thread>(1, 0, 1));
    steal::worker_thread& thief = *thieves.back();
    steal::descriptor loot;
    ASSERT_TRUE(steal::roster::steal_from(thief, &victim, nullptr, loot));
    steal::stint stay(thief, loot);
    iterations += run(stay, *this);
    stay.report_to_starter(*this);
  }
  void completed(steal::worker_thread&) const {}
};

struct row {
  u64 transactions;
  u64 synchronisations;
  u64 checks;

  bool operator==(const row&) const = default;
};

std::ostream& operator<<(std::ostream& out, const row& r) {
  return out << r.transactions << " transactions, " << r.synchronisations << " synchronisations, "
             << r.checks << " checks";
}

row counted(const deque::counts& c) { return {c.transactions(), c.ends, c.checks}; }

// One loop of N iterations, met by a worker of its own.
class table {
 public:
  table(const std::string& schedule, u64 iterations, std::uint32_t workers)
      : how_(schedules::parse(schedule).value), iterations_(iterations), workers_(workers) {}

  row worst() {
    auto env = std::make_unique<thief_at_once>();
    met(*env);
    EXPECT_EQ(ran_ + env->iterations, iterations_);
    row sum = counted(me_->done);
    for (const auto& t : env->thieves) {
      const row one = counted(t->done);
      sum = {sum.transactions + one.transactions, sum.synchronisations + one.synchronisations,
             sum.checks + one.checks};
    }
    return sum;
  }

  row intermediate() {
    nobody_steals env;
    met(env);
    EXPECT_EQ(ran_, iterations_);
    return counted(me_->done);
  }

  row best() {
    nobody_steals env;
    steal::frame* const around = steal::begin(*me_, {.iterations = 2, .how = how_.which->splits});
    me_->own().push({around, {1, 2}});
    met(env);
    EXPECT_EQ(ran_, iterations_);
    return counted(me_->done);
  }

 private:
  template <class Env>
  void met(Env& env) {
    steal::terms t{.iterations = iterations_, .how = how_.which->splits};
    t.how->construct(t.rule, {.shape = {iterations_, workers_}, .given = how_.given});
    steal::frame* const loop = steal::begin(*me_, t);
    steal::stint stay(*me_, *loop);
    ran_ = run(stay, env);
    EXPECT_TRUE(stay.report_as_starter());
  }

  schedules::spec how_;
  u64 iterations_;
  std::uint32_t workers_;
  std::unique_ptr<steal::worker_thread> me_ = std::make_unique<steal::worker_thread>(0, 0, 1);
  u64 ran_ = 0;
};

u64 log2_of(u64 n) { return static_cast<u64>(std::log2(static_cast<double>(n))); }

// N and t, powers of two, t at most N / 2: what the paper assumes.
template <class Check>
void for_each_size(Check check) {
  for (u64 n = 2; n <= 4096; n *= 2) {
    for (u64 t = 1; t < n; t *= 2) check(n, t);
  }
}

TEST(lbs_table, lazy_binary_splitting) {
  for_each_size([](u64 n, u64 t) {
    const std::string lbs = "lbs," + std::to_string(t);
    const u64 parts = n / t;
    EXPECT_EQ(table(lbs, n, 4).worst(), (row{2 * (parts - 1), parts, parts - 1})) << n << " " << t;
    EXPECT_EQ(table(lbs, n, 4).intermediate(),
              (row{log2_of(parts) + 1, log2_of(parts) + 1, parts - 1}))
        << n << " " << t;
    EXPECT_EQ(table(lbs, n, 4).best(), (row{0, 1, parts - 1})) << n << " " << t;
  });
}

TEST(lbs_table, simple_partitioner) {
  for_each_size([](u64 n, u64 t) {
    const std::string sp = "ebs-simple," + std::to_string(t);
    const u64 parts = n / t;
    const row no_thief{3 * parts / 2 - 1, parts, parts - 1};
    EXPECT_EQ(table(sp, n, 4).worst(), (row{2 * (parts - 1), parts, parts - 1})) << n << " " << t;
    EXPECT_EQ(table(sp, n, 4).intermediate(), no_thief) << n << " " << t;
    EXPECT_EQ(table(sp, n, 4).best(), no_thief) << n << " " << t;
  });
}

TEST(lbs_table, auto_partitioner) {
  for (const u64 k : {1, 2, 4}) {
    for (const u64 v : {1, 2, 4}) {
      for (const std::uint32_t p : {2, 8, 64}) {
        const std::string ap = "ebs-auto," + std::to_string(k) + "," + std::to_string(v);
        const u64 parts = k * p;
        const row no_thief{3 * parts / 2 - 1, parts, parts - 1};
        EXPECT_EQ(table(ap, 4 * parts, p).intermediate(), no_thief) << ap << " " << p;
        EXPECT_EQ(table(ap, 4 * parts, p).best(), no_thief) << ap << " " << p;
        // The paper's worst case: no more iterations than workers.
        const u64 n = p;
        EXPECT_EQ(table(ap, n, p).worst(), (row{2 * (n - 1), n, n - 1})) << ap << " " << p;
      }
    }
  }
}

TEST(lbs_table, serializing_work_stealing) {
  for (u64 n = 2; n <= 1024; n *= 2) {
    EXPECT_EQ(table("sws", n, 4).worst(), (row{2 * (n - 1), n, n - 1})) << n;
    EXPECT_EQ(table("sws", n, 4).intermediate(), (row{n, n, n - 1})) << n;
    EXPECT_EQ(table("sws", n, 4).best(), (row{n, n, n - 1})) << n;
  }
}

}  // namespace
}  // namespace doall
