// The grammar: what it accepts, that texts round-trip, and that a message for
// what it does not accept names the value and what was expected.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "schedule/affinity.hpp"
#include "schedule/dynamic.hpp"
#include "schedule/ebs_auto.hpp"
#include "schedule/grammar.hpp"
#include "schedule/guided.hpp"

namespace doall::schedules {
namespace {

void expect_same(std::string_view text, const spec& expected) {
  const parse_result parsed = parse(text);
  ASSERT_TRUE(parsed) << text << ": " << parsed.error;
  EXPECT_TRUE(parsed.value == expected) << text << " is " << to_text(parsed.value);
}

std::vector<const parameter*> parameters_of(const entry& e) {
  std::vector<const parameter*> all;
  for (const auto some : {e.parameters, common_parameters()}) {
    for (const parameter& p : some) all.push_back(&p);
  }
  return all;
}

// Every word, or several numbers, the ends of the range among them.
std::vector<u64> values_of(const parameter& p) {
  std::vector<u64> values = {p.least, 4, p.most};
  if (!p.words.empty()) {
    values.resize(p.words.size());
    std::iota(values.begin(), values.end(), u64{1});
  }
  return values;
}

// Whether the value says nothing, being the default.
bool is_default(const parameter& p, u64 value) {
  return !p.default_word.empty() && p.words[value - 1] == p.default_word;
}

// The entry alone, and with every subset of its parameters at several values.
std::vector<spec> specs_of(const entry& e) {
  std::vector<spec> result = {{&e, {}}};
  for (const parameter* const one : parameters_of(e)) {
    const parameter& p = *one;
    const std::size_t before = result.size();
    for (std::size_t i = 0; i < before; ++i) {
      for (u64 value : values_of(p)) {
        if (is_default(p, value)) continue;
        spec with = result[i];
        value_in(with.given, e, p) = value;
        result.push_back(with);
      }
    }
  }
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Blanks wherever the grammar has a border between two parts.
std::string spread(std::string_view text) {
  std::string result = " \t";
  for (char c : text) result += c == ',' || c == '=' ? std::string(" ") + c + "  " : std::string{c};
  return result + " \n";
}

TEST(Grammar, EverySpecRoundTrips) {
  for (const entry& e : registry()) {
    for (const spec& s : specs_of(e)) {
      const std::string text = to_text(s);
      expect_same(text, s);
      expect_same(upper(text), s);
      expect_same(spread(text), s);
      for (std::string_view alias : e.aliases) {
        expect_same(std::string(alias) + text.substr(e.name.size()), s);
      }
    }
  }
}

TEST(Grammar, EveryParameterCanBeNamed) {
  for (const entry& e : registry()) {
    for (const parameter* const one : parameters_of(e)) {
      const parameter& p = *one;
      const std::string named = std::string(e.name) + "," + std::string(p.key) + "=";
      for (u64 value : values_of(p)) {
        spec expected{&e, {}};
        value_in(expected.given, e, p) = is_default(p, value) ? 0 : value;
        expect_same(
            named + (p.words.empty() ? std::to_string(value) : std::string(p.words[value - 1])),
            expected);
      }
    }
  }
}

TEST(Grammar, TakesKeysInAnyOrder) {
  const spec expected{find("guided"), params::of(guided::options{.chunk = 4, .k = 2})};
  expect_same("guided,4,k=2", expected);
  expect_same("guided,chunk=4,k=2", expected);
  expect_same("guided,k=2,chunk=4", expected);
}

TEST(Grammar, TakesSeveralNumbersInTheirOrder) {
  const spec expected{find("ebs-auto"), params::of(ebs_auto::options{.k = 2, .v = 8})};
  expect_same("ebs-auto,2,8", expected);
  expect_same("ebs-auto, 2, v=8", expected);
  expect_same("ebs-auto,v=8,k=2", expected);
  expect_same("ebs-auto,2,8,order=reverse",
              {find("ebs-auto"), params::of(ebs_auto::options{.k = 2, .v = 8}, in_reverse)});
  expect_same("ebs-auto,2", {find("ebs-auto"), params::of(ebs_auto::options{.k = 2})});
  expect_same("ebs-auto,v=8", {find("ebs-auto"), params::of(ebs_auto::options{.v = 8})});
}

TEST(Grammar, TakesWords) {
  expect_same("guided,round=down",
              {find("guided"), params::of(guided::options{.round = round_down})});
  expect_same("gss,4,Round = Up", {find("guided"), params::of_first(4)});  // the default
  expect_same("dynamic,8,monotonic", {find("dynamic"), params::of(dynamic::options{8, 2})});
  expect_same("dynamic,8,order=reverse",
              {find("dynamic"), params::of(dynamic::options{8}, in_reverse)});
  expect_same("trapezoid,ORDER=FORWARD", {find("trapezoid"), {}});
  expect_same("affinity,victim=random",
              {find("affinity"), params::of(affinity::options{.victim = at_random})});
}

// order=reverse is what makes a monotonic schedule none; it runs as the backward one.
TEST(Grammar, ReverseIsAnotherScheduleThanForward) {
  const spec forward = parse("dynamic").value;
  const spec backward = parse("dynamic,order=reverse").value;
  EXPECT_TRUE(forward.has(monotonic));
  EXPECT_FALSE(backward.has(monotonic));
  EXPECT_EQ(&forward.run(), &forward.which->forward);
  EXPECT_EQ(&parse("dynamic,order=forward").value.run(), &forward.which->forward);
  EXPECT_EQ(&backward.run(), &forward.which->backward);
  EXPECT_TRUE(parse("static,order=reverse").value.has(keeps_affinity));
}

TEST(Grammar, WritesTheShortestForm) {
  EXPECT_EQ(to_text(parse("BLOCK").value), "static");
  EXPECT_EQ(to_text(parse("ss, chunk = 8").value), "dynamic,8");
  EXPECT_EQ(to_text(parse("gss , k=3, chunk=2").value), "guided,2,k=3");
  EXPECT_EQ(to_text(parse("afs,k=2").value), "affinity,2");
  EXPECT_EQ(to_text(parse("ebs-auto,v=8,k=2").value), "ebs-auto,2,8");
  EXPECT_EQ(to_text(parse("ebs-auto,v=8").value), "ebs-auto,v=8");
  EXPECT_EQ(to_text(parse("GSS , order=REVERSE, round=Down").value),
            "guided,round=down,order=reverse");
}

// A message names the value that is wrong and what was expected.
struct bad_text {
  std::string_view text;
  std::vector<std::string_view> named;
};

const std::string_view whole_number = "expected a whole number from 1 to 18446744073709551615";

const bad_text bad_texts[] = {
    // no such schedule
    {"", {"no schedule is named", "\"\"", "expected one of static, dynamic, "}},
    {"  ", {"no schedule is named", "expected one of static, dynamic, "}},
    {",4", {"no schedule is named", "\",4\"", "expected one of static, dynamic, "}},
    {"guidde", {"\"guidde\"", "expected one of static, dynamic, ", "nearest is \"guided\""}},
    {"DYNAMICS,4", {"\"DYNAMICS\"", "nearest is \"dynamic\""}},
    {"trapezoidl", {"\"trapezoidl\"", "nearest is \"trapezoid\""}},
    {"self_scheduling", {"\"self_scheduling\"", "nearest is \"self-scheduling\""}},
    {"dynamic 4", {"\"dynamic 4\"", "nearest is \"dynamic\""}},
    {"dynamic;4", {"\"dynamic;4\"", "nearest is \"dynamic\""}},
    // no such number
    {"dynamic,0", {"\"0\" for chunk", "\"dynamic,0\"", whole_number}},
    {"static,0", {"\"0\" for chunk", "\"static,0\"", whole_number}},
    {"affinity,k=0", {"\"0\" for k", "\"affinity,k=0\"", whole_number}},
    {"dynamic,-1", {"\"-1\" for chunk", "\"dynamic,-1\"", whole_number}},
    {"dynamic,+1", {"\"+1\" for chunk", whole_number}},
    {"dynamic,many", {"\"many\" for chunk", whole_number}},
    {"dynamic,4x", {"\"4x\" for chunk", whole_number}},
    {"dynamic,4 4", {"\"4 4\" for chunk", whole_number}},
    {"dynamic,0x10", {"\"0x10\" for chunk", whole_number}},
    {"dynamic,1.5", {"\"1.5\" for chunk", whole_number}},
    {"dynamic,18446744073709551616", {"\"18446744073709551616\" for chunk", whole_number}},
    {"guided,k=-2", {"\"-2\" for k", whole_number}},
    {"guided,k=", {"\"\" for k", "\"guided,k=\"", whole_number}},
    {"guided,k=2=3", {"\"2=3\" for k", whole_number}},
    {"hybrid,parts=0", {"\"0\" for parts", "expected a whole number from 1 to 8192"}},
    {"hybrid,parts=8193", {"\"8193\" for parts", "expected a whole number from 1 to 8192"}},
    // no such word
    {"guided,round=sideways",
     {"\"sideways\" for round", "\"guided,round=sideways\"", "expected up or down"}},
    {"guided,round=1", {"\"1\" for round", "expected up or down"}},
    {"guided,round=", {"\"\" for round", "expected up or down"}},
    {"dynamic,order=backwards", {"\"backwards\" for order", "expected forward or reverse"}},
    {"affinity,victim=richest", {"\"richest\" for victim", "expected "}},
    // no such parameter
    {"dynamic,round=down",
     {"\"round\"", "\"dynamic,round=down\"", "which takes chunk, monotonic, order"}},
    {"guided,down", {"\"down\" for chunk", whole_number}},
    {"cyclic,4", {"\"4\"", "\"cyclic,4\"", "which takes order"}},
    {"guided,j=2", {"\"j\"", "\"guided,j=2\"", "which takes chunk, k, round, order"}},
    {"guided,=2", {"\"\"", "\"guided,=2\"", "which takes chunk, k, round, order"}},
    {"trapezoid,4", {"\"4\"", "\"trapezoid,4\"", "which takes order"}},
    {"trapezoid,k=4", {"\"k\"", "\"trapezoid,k=4\"", "which takes order"}},
    // too many or too few of them
    {"dynamic,order=reverse,8", {"\"8\"", "expected key=value"}},
    {"cyclic,order=reverse,order=reverse", {"order", "expected once"}},
    {"dynamic,4,5", {"\"5\"", "\"dynamic,4,5\"", "expected key=value"}},
    {"ebs-auto,1,2,3", {"\"3\"", "\"ebs-auto,1,2,3\"", "expected key=value"}},
    {"ebs-auto,1,0", {"\"0\" for v", "\"ebs-auto,1,0\"", whole_number}},
    {"ebs-auto,k=1,2", {"\"2\"", "\"ebs-auto,k=1,2\"", "expected key=value"}},
    {"ebs-auto,1,k=2", {"k", "\"ebs-auto,1,k=2\"", "expected once"}},
    {"guided,k=2,4", {"\"4\"", "\"guided,k=2,4\"", "expected key=value"}},
    {"guided,4,chunk=5", {"chunk", "\"guided,4,chunk=5\"", "expected once"}},
    {"guided,k=2,K=2", {"k", "\"guided,k=2,K=2\"", "expected once"}},
    {"dynamic,", {"empty parameter", "\"dynamic,\"", "which takes chunk"}},
    {"dynamic,4,", {"empty parameter", "\"dynamic,4,\"", "which takes chunk"}},
    {"dynamic,,4", {"empty parameter", "\"dynamic,,4\"", "which takes chunk"}},
    {"trapezoid,", {"empty parameter", "\"trapezoid,\"", "which takes order"}},
};

TEST(Grammar, RefusesWithAMessageThatSaysWhat) {
  for (const bad_text& bad : bad_texts) {
    const parse_result parsed = parse(bad.text);
    EXPECT_FALSE(parsed) << bad.text << " was taken for " << to_text(parsed.value);
    for (std::string_view part : bad.named) {
      EXPECT_NE(parsed.error.find(part), std::string::npos)
          << "for \"" << bad.text << "\" the message\n  " << parsed.error << "\nlacks\n  " << part;
    }
  }
}

TEST(Grammar, GoodTextHasNoError) { EXPECT_EQ(parse("dynamic,4").error, ""); }

// In cells of 4 iterations, whose numbers are rounded up.
TEST(Cells, CountWhateverCountsIterations) {
  const auto in_fours = [](const char* text) { return to_text(in_cells(parse(text).value, 4)); };
  EXPECT_EQ(in_fours("dynamic,9"), "dynamic,3");
  EXPECT_EQ(in_fours("guided,chunk=8,k=2"), "guided,2,k=2");
  EXPECT_EQ(in_fours("lbs,1000"), "lbs,250");
  EXPECT_EQ(in_fours("ebs-simple,1000"), "ebs-simple,250");
  EXPECT_EQ(in_fours("ebs-auto,8"), "ebs-auto,8");
  EXPECT_EQ(in_fours("wsri,64,min=9"), "wsri,16,min=3");
  EXPECT_EQ(in_fours("hybrid,100,parts=8"), "hybrid,25,parts=8");
  EXPECT_EQ(to_text(out_of_cells(parse("static,3").value, 4)), "static,12");
}

TEST(Cells, CountEachParameterThatSpeaksOfIterations) {
  for (const entry& e : registry()) {
    for (const parameter& p : e.parameters) {
      const bool speaks = p.meaning.find("iterations") != std::string_view::npos;
      EXPECT_EQ(p.iterations, speaks && p.words.empty()) << e.name << ' ' << p.key;
    }
  }
}

}  // namespace
TEST(Grain, IsGivenWhereNoneIsNamed) {
  const auto with = [](const char* text, u64 grain) {
    spec how = parse(text).value;
    give_grain(how, grain);
    return to_text(how);
  };
  EXPECT_EQ(with("lbs", 91), "lbs,91");
  EXPECT_EQ(with("lbs", 0), "lbs");
  EXPECT_EQ(with("lbs,5", 91), "lbs,5");
  EXPECT_EQ(with("dynamic", 91), "dynamic");
}

}  // namespace doall::schedules
