// A machine's memory in virtual time, followed by hand; its files; and programs on it.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "schedule/grammar.hpp"
#include "sim/memory.hpp"
#include "sim/program.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

using sim::block_use;
using sim::machine;
using sim::memory_system;

constexpr block_use read(std::uint32_t block) { return {.block = block}; }
constexpr block_use write(std::uint32_t block) { return {.block = block, .writes = true}; }

// Two blocks of 100 bytes fit in a cache; one takes 10 on the bus, and 5 more to its processor.
constexpr double block_bytes = 100;
machine small() {
  machine m;
  m.processors = 3;
  m.cache_bytes = 250;
  m.bus_byte = 0.1;
  m.fetch = 5;
  return m;
}

TEST(Machine, FetchesABlockOnce) {
  memory_system memory(small(), 2, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(1), 0), 15);
  EXPECT_EQ(memory.touch(0, read(1), 20), 20);
  EXPECT_EQ(memory.touch(1, read(1), 30), 45) << "another processor's cache";
  EXPECT_EQ(memory.fetched(), 2U);
}

TEST(Machine, KeepsTheBlocksThatWereUsedLast) {
  memory_system memory(small(), 1, 4, block_bytes);
  memory.touch(0, read(0), 0);
  memory.touch(0, read(1), 100);
  memory.touch(0, read(0), 200);
  memory.touch(0, read(2), 300);  // in place of 1
  EXPECT_EQ(memory.touch(0, read(0), 400), 400);
  EXPECT_EQ(memory.touch(0, read(1), 500), 515);
}

TEST(Machine, TakesAWrittenBlockFromTheOthers) {
  memory_system memory(small(), 3, 4, block_bytes);
  memory.touch(0, read(1), 0);
  memory.touch(1, read(1), 100);
  EXPECT_EQ(memory.touch(0, write(1), 200), 200);
  EXPECT_EQ(memory.touch(0, write(1), 250), 250);
  EXPECT_EQ(memory.touch(1, read(1), 300), 315);
  EXPECT_EQ(memory.touch(2, write(1), 400), 415) << "it has not got it, and then it alone has it";
  EXPECT_EQ(memory.touch(0, read(1), 500), 515);
}

TEST(Machine, CarriesOneBlockAtATime) {
  memory_system memory(small(), 3, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(0), 0), 15);
  EXPECT_EQ(memory.touch(1, read(1), 2), 25);
  EXPECT_EQ(memory.touch(2, {.block = 2, .part = 0.5}, 3), 30) << "half a block";
  memory.begin_loop();
  EXPECT_EQ(memory.touch(0, read(3), 0), 15);
}

TEST(Machine, WithoutABusFetchesSideBySide) {
  machine m = small();
  m.bus_byte = 0;
  m.fetch_byte = 0.2;
  memory_system memory(m, 2, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(0), 0), 25);
  EXPECT_EQ(memory.touch(1, read(1), 1), 26);
}

TEST(Machine, WithoutCachesFetchesEachTime) {
  machine m = small();
  m.cache_bytes = 0;
  memory_system memory(m, 1, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(0), 0), 15);
  EXPECT_EQ(memory.touch(0, read(0), 20), 35);
}

// Two sockets of two processors; a block takes 1 from the shared cache, 10 from the own memory and
// 30 from the other one's.
machine sockets() {
  machine m;
  m.processors = 4;
  m.domains = 2;
  m.cache_bytes = 100;
  m.domain_cache_bytes = 250;
  m.near_byte = 0.01;
  m.fetch_byte = 0.1;
  m.far_byte = 0.3;
  return m;
}

TEST(Machine, ABlockIsAtHomeWhereItWasUsedFirst) {
  memory_system memory(sockets(), 4, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(0), 0), 10);
  EXPECT_EQ(memory.touch(2, read(0), 100), 130);
  EXPECT_EQ(memory.near_bytes(), 100);
  EXPECT_EQ(memory.far_bytes(), 100);
  memory.place(1, 1);
  EXPECT_EQ(memory.touch(0, read(1), 200), 230);
}

TEST(Machine, ASocketSharesACache) {
  memory_system memory(sockets(), 4, 4, block_bytes);
  memory.touch(0, read(0), 0);
  EXPECT_EQ(memory.touch(1, read(0), 100), 101);
  EXPECT_EQ(memory.touch(1, read(0), 200), 200) << "its own";
  memory.touch(2, write(0), 300);
  EXPECT_EQ(memory.touch(1, read(0), 400), 410) << "the other socket has taken it";
}

TEST(Machine, AMemoryServesOneBlockAtATime) {
  machine m = sockets();
  m.memory_byte = 0.05;
  memory_system memory(m, 4, 4, block_bytes);
  EXPECT_EQ(memory.touch(0, read(0), 0), 5 + 10);
  EXPECT_EQ(memory.touch(1, read(1), 0), 10 + 10) << "behind the first";
  EXPECT_EQ(memory.touch(2, read(2), 0), 5 + 10) << "the other socket's memory";
  EXPECT_EQ(memory.touch(3, read(3), 1), 10 + 10);
  memory.begin_loop();
  EXPECT_EQ(memory.touch(3, read(1), 0), 5 + 30) << "from the first socket";
}

TEST(Machine, AProgramsDataLieWhereItSays) {
  sim::program what;
  what.blocks = 64;
  what.block_bytes = block_bytes;
  what.loops = 2;
  what.loop = [](sim::u64) {
    return sim::program_loop{.iterations = 64, .uses = [](sim::u64 i, std::vector<block_use>& to) {
                               to.push_back({.block = static_cast<std::uint32_t>(i)});
                             }};
  };
  what.home = [](std::uint32_t b) { return b / 64.0; };
  machine m = sockets();
  m.domain_cache_bytes = 0;
  const auto run = [&](const char* schedule) {
    return sim::run_program(what, m, 4, schedules::parse(schedule).value);
  };
  EXPECT_EQ(run("static").far_bytes, 0);
  EXPECT_GT(run("cyclic").far_bytes, 0) << "every fourth one";
  EXPECT_GT(
      sim::run_program_by_stealing(what, m, 4, schedules::parse("ebs-simple").value).far_bytes, 0)
      << "whoever steals it";
  EXPECT_GT(run("dynamic").time, run("static").time);
}

std::string refusal_of(std::string_view text) {
  try {
    sim::read_machine("mine", text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Machine, ReadsFilesWithComments) {
  const machine m = sim::read_machine("mine",
                                      "// A machine\n{\"processors\": 4, \"unit\": 0.5,\n"
                                      "\"sync\": {\"central\": 3}}");
  EXPECT_EQ(m.name, "mine");
  EXPECT_EQ(m.processors, 4U);
  EXPECT_EQ(m.unit, 0.5);
  EXPECT_EQ(m.sync.central, 3);
  EXPECT_EQ(m.sync.own, 0);
  EXPECT_FALSE(m.deal.has_value());
  const machine xmt = sim::read_machine("xmt", "{\"deal\": 0, \"stealing\": {\"theft\": 7}}");
  EXPECT_EQ(xmt.deal, 0);
  EXPECT_EQ(xmt.stealing.theft, 7);
  for (const std::string_view name : sim::machine_names())
    EXPECT_EQ(sim::find_machine(name).name, name);
}

TEST(Machine, RefusesByFieldAndLine) {
  EXPECT_NE(refusal_of("{\n\"unit\": 1,\n}").find("line 3"), std::string::npos);
  EXPECT_EQ(refusal_of("{\"unit\": \"fast\"}"),
            "machine mine, line 1: unit is \"fast\", expected a number from 0");
  EXPECT_EQ(refusal_of("{\"fetch\": -1}"),
            "machine mine, line 1: fetch is -1, expected a number from 0");
  EXPECT_EQ(refusal_of("{\"processors\": 4,\n\"sync\": {\"own\": 1,\n\"again\": []}}"),
            "machine mine, line 3: again is [], expected a number from 0");
  EXPECT_NE(refusal_of("{\"cores\": 4}").find("unknown field \"cores\""), std::string::npos);
  EXPECT_NE(refusal_of("{\"messages\": {\"own\": 4}}").find("unknown field \"own\""),
            std::string::npos);
  EXPECT_NE(refusal_of("{\"messages\": 4}").find("messages is 4"), std::string::npos);
  EXPECT_NE(refusal_of("{\"processors\": 4, \"domains\": 8}").find("domains is 8"),
            std::string::npos);
  EXPECT_NE(refusal_of("{\"sync\": {\"far\": 4}}").find("unknown field \"far\""),
            std::string::npos);
  EXPECT_NE(refusal_of("{\"stealing\": {\"far\": 4}}").find("unknown field \"far\""),
            std::string::npos);
  EXPECT_EQ(refusal_of("{\"stealing\": 4}"),
            "machine mine, line 1: stealing is 4, expected an object");
  for (const char* processors : {"0", "2.5", "-1", "1e12", "99999999999", "\"8\""}) {
    EXPECT_EQ(refusal_of("{\"processors\": " + std::string(processors) + "}")
                  .find("machine mine, line 1: "
                        "processors is "),
              0U)
        << processors;
  }
  EXPECT_EQ(sim::read_machine("mine", "{\"cache_bytes\": 1e300}").cache_bytes, 1e300);
  EXPECT_NE(refusal_of("[]").find("expected an object"), std::string::npos);
  EXPECT_THROW(sim::find_machine("abacus"), std::invalid_argument);
}

// Two sockets of two cores with two threads each: 0 and 1 are the first socket's cores, 2 and 3
// their second threads.
TEST(Machine, ThreadsThatShareACoreAreSlower) {
  machine m;
  m.processors = 8;
  m.domains = 2;
  m.threads_of_core = 2;
  m.shared_core = 1.5;
  EXPECT_EQ(m.slowness(2), (std::vector<double>{1, 1}));
  EXPECT_EQ(m.slowness(3), (std::vector<double>{1.5, 1, 1.5}));
  EXPECT_EQ(m.slowness(6), (std::vector<double>{1.5, 1.5, 1.5, 1.5, 1, 1}));
  m.slow = {{5, 2}, {7, 3}};
  EXPECT_EQ(m.slowness(6), (std::vector<double>{1.5, 1.5, 1.5, 1.5, 1, 2}));
}

sim::program even_loop(u64 iterations) {
  sim::program made;
  made.loops = 1;
  made.loop = [iterations](u64) {
    return sim::program_loop{
        .iterations = iterations, .costs = sim::iteration_costs(1), .uses = {}};
  };
  return made;
}

// The first worker is done after 100, and then does what an absent one's partition holds.
TEST(Machine, TheFirstWorkerStandsInForAbsentOnes) {
  machine m;
  m.processors = 4;
  const auto time = [&](const char* schedule) {
    return sim::run_program(even_loop(400), m, 4, spec_of(schedule)).time;
  };
  EXPECT_EQ(time("static"), 100);
  m.absent = {2};
  EXPECT_EQ(time("static"), 200);
  m.absent = {2, 3};
  EXPECT_EQ(time("static"), 300);
  EXPECT_EQ(time("dynamic"), 200) << "two workers do it all";
  const auto stolen =
      sim::run_program_by_stealing(even_loop(400), m, 4, spec_of("ebs-simple,1")).time;
  EXPECT_GT(stolen, 199);
  for (const auto& entry : schedules::registry()) {
    EXPECT_GE(sim::run_program(even_loop(400), m, 4, {.which = &entry, .given = {}}).time, 200)
        << entry.name;
  }
  m.slow = {{1, 3}};
  EXPECT_EQ(time("dynamic"), 300) << "one of them three times as slow";
}

// Iterations from the first one on stay with the worker that begins a loop.
TEST(Machine, WhoComesToALoopsEndLastMayGoOn) {
  machine m;
  m.processors = 4;
  m.jitter = 0.5;
  sim::program what = even_loop(400);
  what.loops = 20;
  const auto beginners = [&](sim::goes_on after) {
    std::set<std::uint32_t> all;
    sim::run_program_by_stealing(
        what, m, 4, spec_of("ebs-simple,1"), 1,
        [&](u64, const sim::execution& done) {
          for (const sim::dealt_chunk& c : done.chunks) {
            if (c.what.begin == 0) all.insert(c.worker);
          }
        },
        after);
    return all;
  };
  EXPECT_EQ(beginners(sim::goes_on::first_worker), (std::set<std::uint32_t>{0}));
  EXPECT_EQ(beginners(sim::goes_on::last_one).size(), 4U);
}

TEST(Machine, RefusesPartsThatItCannotHave) {
  EXPECT_EQ(refusal_of("{\"processors\": 8,\n\"domains\": 3}"),
            "machine mine, line 2: domains is 3, expected a divisor of the 8 processors");
  EXPECT_EQ(refusal_of("{\"processors\": 8, \"domains\": 2,\n\"threads_of_core\": 8}"),
            "machine mine, line 2: threads_of_core is 8, expected a divisor of a domain's 4 "
            "processors");
  for (const char* slow : {"3", "[3]", "[[8, 1]]", "[[1, 0]]", "[[1, 2, 3]]", "[[-1, 2]]"}) {
    EXPECT_EQ(refusal_of("{\"processors\": 8, \"slow\": " + std::string(slow) + "}")
                  .find("machine mine, line 1: slow "),
              0U)
        << slow;
  }
  for (const char* absent : {"3", "[0]", "[8]", "[1.5]", "[\"1\"]"}) {
    EXPECT_EQ(refusal_of("{\"processors\": 8, \"absent\": " + std::string(absent) + "}")
                  .find("machine mine, line 1: absent "),
              0U)
        << absent;
  }
}

// Rows that each loop writes, one an iteration.
sim::program rows(u64 count, u64 loops) {
  sim::program made;
  made.name = "rows";
  made.blocks = static_cast<std::uint32_t>(count);
  made.block_bytes = block_bytes;
  made.loops = loops;
  made.loop = [count](u64) {
    return sim::program_loop{.iterations = count,
                             .costs = sim::iteration_costs(10),
                             .uses = [](u64 i, std::vector<block_use>& to) {
                               to.push_back(write(static_cast<std::uint32_t>(i)));
                             }};
  };
  return made;
}

TEST(Program, StaysWhereItsDataAre) {
  machine m = small();
  m.cache_bytes = 1000;
  m.bus_byte = 0;
  // Each processor has two rows: two fetches in the first loop, then none.
  const auto stays = sim::run_program(rows(6, 10), m, 3, spec_of("static"));
  EXPECT_EQ(stays.fetched, 6U);
  EXPECT_EQ(stays.time, 10 * 2 * 10 + 2 * 5);
  m.spread = 1;
  const auto moves = sim::run_program(rows(6, 10), m, 3, spec_of("dynamic"));
  EXPECT_GT(moves.fetched, 20U);
  EXPECT_EQ(sim::run_program(rows(6, 10), m, 3, spec_of("dynamic")).time, moves.time) << "a seed";
  EXPECT_NE(sim::run_program(rows(6, 10), m, 3, spec_of("dynamic"), 2).time, moves.time);
  EXPECT_THROW(sim::run_program(rows(6, 1), m, 4, spec_of("static")), std::invalid_argument);
}

// With data iterations are events of their own: every schedule still deals each once.
TEST(Program, RunsEveryIterationOnceUnderEverySchedule) {
  machine m = small();
  m.processors = 7;
  m.spread = 30;
  for (const auto& entry : schedules::registry()) {
    for (const std::uint32_t processors : {1U, 3U, 7U}) {
      sim::program counted = rows(100, 3);
      std::vector<int> ran(100);
      counted.loop = [&, inner = counted.loop](u64 k) {
        sim::program_loop loop = inner(k);
        loop.uses = [&](u64 i, std::vector<block_use>& to) {
          ++ran[i];
          to.push_back(read(static_cast<std::uint32_t>(i)));
        };
        return loop;
      };
      sim::run_program(counted, m, processors, {.which = &entry, .given = {}});
      EXPECT_EQ(ran, std::vector<int>(100, 3)) << entry.name << ", " << processors;
    }
  }
}

}  // namespace
}  // namespace doall::tests
