// Every number of the decision: its unit, why it is so, where it was measured, and what notices
// when it changes. REG is tests/decide/property_regret.cpp, which runs decide() in random worlds;
// figures are of 2,000 of these: the geometric mean of what is lost, and the 99th percentile. No
// number is sharp: half or twice as much changes the mean by less than 0.005.
#pragma once

#include <cstdint>

namespace doall::decide {

// Length classes: so many for each doubling of a loop's length. Loops of about one length mostly do
// the same; of twice that, often not. With one: mean 1.031, 99th 1.36; two: 1.030, 1.34. A power of
// two. REG; unit_site_times.
inline constexpr unsigned classes_a_doubling = 4;

// How many classes a site remembers, the newest. With 12: mean 1.027, 99th 1.33. REG.
inline constexpr unsigned classes = 16;

// Lengths. A length that is one of the newest so many has come back: it gets a class of its own.
// World 501,721 loses a factor of 6.4 without, 1.3 so. 16 classes a doubling gain as much there;
// but then a triangle's lengths, each seventh, lose 17 to 32 %, not 5 to 11. REG; unit_site_times.
inline constexpr unsigned late_lengths = 8;

// Runs. How many times of a way are kept. The dearest does not count, so that one preempted run or
// one late worker decides nothing. With 3 the choice wavers where loops of one length do different
// things; 8 are no better. REG; unit_site_times.
inline constexpr unsigned kept_times = 5;

// A run is rare that takes so many times what the others mostly do. What such runs add is kept of
// so many runs at most, of which the older half then counts half. By the five times alone:
// mean 1.0204 and 1.0224, 30 and 44 worlds of 5,000 above 1.3; so: 1.0200 and 1.0218, 27 and 42.
// With 1,024 runs the same. REG; unit_site_times.
inline constexpr double rare_times = 2;
inline constexpr double rare_runs = 256;

// Exploring costs at most this part of what the loops of a class have taken. 0.01: mean 1.033,
// 0.02: 1.042. REG; unit_decide.
inline constexpr double explored_part = 0.005;

// A region that never ran alone is tried so once, when this part of what such runs have taken is
// as much as it may lose: at most what has been lost already if it should have run alone all along.
// Its guess is too high by the factor of workers under a lock, and a budget of 0.5 % would wait for
// 200 times as many runs. Regions: mean 1.076, 99th 1.99, worst 6.2; with 0.005 1.20, 4.0, 34;
// 0.1: 1.12, 3.3, 6.2; 3: 1.068, 1.93, 6.2. REG.
inline constexpr double untried_part = 1;

// Sharing that was tried once, and lost, may have met a preempted thread: the second try may begin
// when the budget has this part of what the first one lost. 0.25: 2.9 in world 309,266 and 2.3 in
// 306,790 instead of 2.2 and 1.5, and means less by 0.0006. REG.
inline constexpr double unconfirmed_part = 0.1;

// Runs. Of those that may explore one in so many does, by the site's dice: lengths that come in
// turn stay in no phase with it. REG; unit_decide.
inline constexpr std::uint32_t runs_a_chance = 4;

// Runs. So many explore in turn: the first finds its data where the other way has left them. Alone,
// of regions, one: with two, their mean is 1.091 for 1.076. unit_decide; REG.
inline constexpr std::uint32_t runs_in_turn = 2;

// A run alone that explores ends after this part of the time that sharing takes, if by its rate it
// would take so many times as long. So it costs the same on 2 workers and on 256. REG; unit_decide.
inline constexpr double explored_alone_part = 0.25;
inline constexpr double explored_alone_slower = 1.5;

// A run alone is surprising when by its last two pieces it takes so many times what is usual, and
// has taken so many burdens: then its rest is shared. To share it for nothing costs a burden, so no
// run costs more than four thirds of what it would have cost, had that been known, and one piece.
// REG; unit_decide.
inline constexpr double surprising_times = 3;
inline constexpr double surprising_burdens = 3;

// Each time in a row that such a rest gained nothing (a lock), the next may take so many times as
// long. 2: mean 1.07, 99th 2.3; 4: 1.033. At most 8^8. REG; unit_site_times.
inline constexpr double held_times = 8;
inline constexpr std::uint32_t held_most = 8;

// ns. A run alone looks at the clock about so often, or after this part of the time that it has
// taken. A look takes some 10 ns (TSC of a 2.1 GHz Xeon, in a virtual machine). REG.
inline constexpr double look_ns = 2'000;
inline constexpr double look_part = 0.125;
inline constexpr double look_price_ns = 10;

// A piece is at most so many times as long as the one before. The first is one index: of a loop
// that was short until now it may take a second. 8: mean 1.031, and two looks more in each short
// loop; 64: no difference. REG; unit_decide.
inline constexpr std::uint64_t pieces_grow = 32;

// Indices a worker. A new loop of fewer is shared at once, since one of them may be a large part of
// it; of a longer one no piece is a larger part than that. unit_decide; stress_native_recall.
inline constexpr std::uint64_t unknown_pieces_a_worker = 32;

// The part of its rival's time that a run alone which explores may spend on looks.
inline constexpr double explored_looks_part = 0.05;

// ns, runs. Each run above is learnt, for that takes less than 1 % of it; of shorter ones one in so
// many, at random. unit_decide; `doall bench serial`.
inline constexpr double always_learnt_ns = 5'000;
inline constexpr std::uint32_t runs_a_timing = 16;

// ns. How long a thread runs loops without the runtime, which may be as long as always_learnt_ns,
// at least and at random: sites in turn come here in no phase with it. A visit takes some 100 ns.
// unit_native_open_loops; `doall bench serial`.
inline constexpr double plain_least_ns = 8'000;
inline constexpr std::uint64_t plain_more_ns = 16'000;

// Burdens. A loop that gains no more is shared in blocks, one for each worker: it is too short to
// be balanced, which costs some three burdens. `doall bench envelope`; unit_decide.
inline constexpr double blocks_most_burdens = 20;

// ns. No machine shares a loop in less, so shorter ones need not be compared.
inline constexpr double least_burden_ns = 100;

// How the burden is measured (burdens.hpp). ns: how long it lasts; how soon a vain try is made
// again, at first; how long a team may take whose workers have to be woken first. It lasts so many
// times as long as measuring took, too: where workers wait for a CPU of other programs each empty
// run takes milliseconds. Of so many complete runs the least counts; fewer raise what was known at
// most so many times. unit_burdens.
inline constexpr std::uint64_t burden_lasts_ns = 100'000'000;
inline constexpr std::uint64_t burden_lasts_times = 200;
inline constexpr std::uint64_t first_retry_ns = 200'000;
inline constexpr std::uint64_t team_comes_within_ns = 300'000;
inline constexpr int empty_runs = 4;
inline constexpr double unsure_times = 2;

// ns. Before it is measured: more than a few workers' burden on most machines, less than any
// balanced loop takes.
inline constexpr double unmeasured_burden_ns = 5'000;

// ns. Waking a thread and running it on a core that slept took 50 us on a quiet machine (2.1 GHz
// Xeon), more on shared ones. unit_burdens.
inline constexpr double waking_ns = 50'000;

}  // namespace doall::decide
