// The asymmetric fence (src/base/asymmetric_fence.hpp) under a machine with store
// buffers, in every interleaving: Relacy has no membarrier, so its models run
// with two real fences, and this one shows that the kernel's serves in place of
// one of them. It does not run the production source, but its accesses:
//
//   often                      rarely
//   store its own word         store its own word
//   light fence                heavy fence
//   load the other's word      load the other's word
//
// The gate: often is the opener (stores the condition, loads the sleepers), rarely
// the sleeper. A claim: often is the worker (stores its claim, loads the release),
// rarely who withdraws the release and then looks for claims.
//
// Shown is that at least one of the two sees the other's store; and, fence by
// fence, that otherwise both may miss, so that the machine is one in which this can
// be seen.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store_buffer.hpp"

namespace {

using namespace doall::model;

constexpr int often_word = 0;
constexpr int rarely_word = 1;
constexpr int data_word = 2;
constexpr int second_word = 3;  // of a second thread that comes by rarely

enum class between { nothing, fence, membarrier, interrupt_alone };

void append(program& p, between b) {
  switch (b) {
    case between::nothing: break;
    case between::fence: p.push_back({step::fence}); break;
    case between::membarrier: append_membarrier(p); break;
    case between::interrupt_alone: p.push_back({step::interrupt}); break;
  }
}

program store_then_load(int own, between b, int others) {
  program p = {{step::store, own}};
  append(p, b);
  p.push_back({step::load, others});
  return p;
}

// Whether such readings are found, with either way of draining.
struct expected {
  bool in_order;
  bool any_order;
};
constexpr expected never = {false, false};
constexpr expected found = {true, true};

class checks {
 public:
  // `is_bad`: of the readings of all threads.
  template <class IsBad>
  void check(std::string_view name, expected bad, const std::vector<program>& programs,
             IsBad is_bad) {
    check(name, "in order", bad.in_order, store_buffer_machine(drain::in_order, programs), is_bad);
    check(name, "any order", bad.any_order, store_buffer_machine(drain::any_order, programs),
          is_bad);
  }
  int status() const { return failed_ ? 1 : 0; }

 private:
  template <class IsBad>
  void check(std::string_view name, const char* order, bool wanted, store_buffer_machine machine,
             IsBad is_bad) {
    const std::set<readings> all_readings = machine.all_readings();
    const bool is_found = std::any_of(all_readings.begin(), all_readings.end(), is_bad);
    failed_ = failed_ || is_found != wanted;
    std::printf("%-36s %-10s %s, as %s; %zu states\n", std::string(name).c_str(), order,
                is_found ? "goes wrong" : "never wrong",
                is_found == wanted ? "expected" : "NOT EXPECTED: FAILS", machine.states());
  }

  bool failed_ = false;
};

bool both_miss(const readings& o) { return o[0].back() == 0 && o[1].back() == 0; }

}  // namespace

int main() {
  checks all;
  const auto four_accesses = [&](std::string_view name, between often, between rarely,
                                 expected bad) {
    all.check(name, bad,
              {store_then_load(often_word, often, rarely_word),
               store_then_load(rarely_word, rarely, often_word)},
              both_miss);
  };
  four_accesses("light and heavy", between::nothing, between::membarrier, never);
  four_accesses("two fences", between::fence, between::fence, never);
  four_accesses("light before the decision", between::fence, between::membarrier, never);
  four_accesses("no fence", between::nothing, between::nothing, found);
  four_accesses("light, and a fence of the thread's", between::nothing, between::fence, found);
  four_accesses("a fence, and none", between::fence, between::nothing, found);
  four_accesses("heavy that spares its caller", between::nothing, between::interrupt_alone, found);

  // Somebody else's barrier does not serve if it may have begun before the store.
  program stale;
  append_membarrier(stale);
  for (const step& s : store_then_load(rarely_word, between::fence, often_word)) stale.push_back(s);
  all.check("heavy that began before the store", found,
            {store_then_load(often_word, between::nothing, rarely_word), stale}, both_miss);

  // The way to two real fences: the word that light fences look at is changed, a membarrier, then
  // heavy fences do without the kernel. Of the light side: one that has found the old word.
  constexpr int word = 2;     // light fences are real from now on
  constexpr int settled = 3;  // heavy fences are no calls from now on
  const auto light_by_the_old_word = [](const readings& o) { return o[0][0] == 0; };
  const auto change = [&](between outlasting) {
    program p = {{step::store, word}};
    append(p, outlasting);
    p.push_back({step::store, settled});
    return p;
  };
  const program light = {{step::store, often_word}, {step::load, word}, {step::load, rarely_word}};
  const auto heavy = [&](between b) {
    program p = {{step::load, settled}};
    for (const step& s : store_then_load(rarely_word, b, often_word)) p.push_back(s);
    return p;
  };
  const auto missed_after = [&](const readings& o) {
    return light_by_the_old_word(o) && o[0][1] == 0 && o[2][0] == 1 && o[2][1] == 0;
  };
  const auto missed = [&](const readings& o) {
    return light_by_the_old_word(o) && o[0][1] == 0 && o[2][1] == 0;
  };
  all.check("after the change", never, {light, change(between::membarrier), heavy(between::fence)},
            missed_after);
  all.check("during the change", never,
            {light, change(between::membarrier), heavy(between::membarrier)}, missed);
  all.check("a change that outlasts nobody", found,
            {light, change(between::fence), heavy(between::fence)}, missed_after);
  all.check("the word looked at too early", found,
            {{{step::load, word}, {step::store, often_word}, {step::load, rarely_word}},
             change(between::membarrier),
             heavy(between::fence)},
            missed_after);

  // The way back: heavy fences that have found two real ones in force make no call, and from then
  // on light fences are none. Of a light one that has found that, and a heavy one that has not.
  constexpr int light_again = 4;
  const program back = {{step::store, light_again}};
  const program light_by_the_new_word = {
      {step::store, often_word}, {step::load, light_again}, {step::load, rarely_word}};
  const program heavy_by_the_old_word = {{step::store, rarely_word},
                                         {step::fence},
                                         {step::load, light_again},
                                         {step::load, often_word}};
  const auto missed_by_both = [](const readings& o) {
    return o[0][0] == 1 && o[0][1] == 0 && o[2][0] == 0 && o[2][1] == 0;
  };
  all.check("back to one fence", never, {light_by_the_new_word, back, heavy_by_the_old_word},
            missed_by_both);
  all.check("back: a look before the heavy fence", found,
            {light_by_the_new_word,
             back,
             {{step::store, rarely_word},
              {step::load, light_again},
              {step::fence},
              {step::load, often_word}}},
            missed_by_both);
  const auto missed_by_both_early = [](const readings& o) {
    return o[0][0] == 0 && o[0][1] == 1 && o[2][0] == 0 && o[2][1] == 0;
  };
  all.check("back: the light side looks too late", found,
            {{{step::store, often_word}, {step::load, rarely_word}, {step::load, light_again}},
             back,
             heavy_by_the_old_word},
            missed_by_both_early);

  // As the gate has it: one opener, two sleepers with a count each, and data that the
  // condition publishes.
  const auto gate = [](step::kind condition) {
    const auto sleeper = [](int own) {
      program p = store_then_load(own, between::membarrier, often_word);
      p.push_back({step::load, data_word});
      return p;
    };
    const program opener = {{step::store, data_word},
                            {condition, often_word},
                            {step::load, rarely_word},
                            {step::load, second_word}};
    return std::vector<program>{opener, sleeper(rarely_word), sleeper(second_word)};
  };
  const auto a_sleeper_is_forgotten = [](const readings& o) {
    return (o[0][0] == 0 && o[1][0] == 0) || (o[0][1] == 0 && o[2][0] == 0);
  };
  const auto let_in_too_early = [](const readings& o) { return o[1][0] == 1 && o[1][1] == 0; };
  all.check("two sleepers", never, gate(step::store_release), a_sleeper_is_forgotten);
  all.check("two sleepers: the data", never, gate(step::store_release), let_in_too_early);
  all.check("the data, without release", {false, true}, gate(step::store), let_in_too_early);
  return all.status();
}
