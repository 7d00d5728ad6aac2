// The native door's lane, for every experiment that runs kernels.
//
//   lane-kernels-doall afs SIZE
//   lane-kernels-doall programs SIZE [GRAPH]
//   lane-kernels-doall lbs|hybrid SIZE [SCHEDULE]     under SCHEDULE alone
//   lane-kernels-doall auto SIZE            nothing is said of a loop but its schedule
//   lane-kernels-doall inner SIZE           what an inner loop costs (kernels/inner_loops.hpp)
#include <optional>

#include "kernels/every_program.hpp"
#include "kernels/harness.hpp"
#include "kernels/inner_loops.hpp"
#include "kernels/kernel.hpp"
#include "lanes/doall.hpp"
#include "lanes/lane.hpp"
#include "lanes/learner.hpp"
#include "lanes/paper_schedule.hpp"

namespace {

using namespace doall::bench;
int serve_native(const lane_request& r, lane_door door) {
  door.library = std::string("libdoall ") + doall_version();
  door.threads = doall_threads();
  return serve_lane(r.size, door);
}

int serve_afs(const lane_request& r) {
  doall::loop_options options;
  const auto door = [&](auto& kernel) { run(kernel, doall_loops{options}); };
  return serve_native(r,
                      {.use = [&](const std::string& text) { options.how = paper_schedule(text); },
                       .programs = programs(door),
                       .warm_up = warm_up_program(door)});
}

// Not every build has every schedule.
bool is_known(const std::string& schedule) {
  try {
    doall::schedule tried(schedule);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

texts fine_schedules(const program& p) {
  texts all{"default"};
  if (p.reduces) {
    for (const char* schedule : {"default", "static"})
      all.push_back(schedule + std::string(any_order));
  }
  if (is_known("fine-grain")) all.emplace_back("fine-grain");
  return all;
}

int serve_programs(const lane_request& r) {
  doall::loop_options options;
  const auto door = [&](auto& kernel) { run(kernel, doall_loops{options}); };
  return serve_native(r, {.use = [&](const std::string& text) { options = options_from(text); },
                          .programs = fine_programs(door, r.graph()),
                          .warm_up = fine_warm_up(door),
                          .schedules = fine_schedules});
}

// Those, or the one that was asked for.
std::function<texts(const program&)> schedules_of(const lane_request& r, const texts& all) {
  return [chosen = r.more.empty() ? all : texts{r.more.front()}](const program&) { return chosen; };
}

int serve_lbs(const lane_request& r) {
  doall::loop_options options;
  const auto use = [&options](const std::string& text) {
    options = options_from(text);
    options.order = doall::reduce_order::any;  // sums are of integers
  };
  const auto door = [&options](auto& kernel) { run(kernel, doall_loops{options}); };
  // ebs-simple's thresholds are the grains of oneTBB's simple_partitioner.
  const texts all{"default",       "lbs",           "lbs+",          "serial-inner",
                  "lbs-innermost", "sws",           "ebs-auto",      "ebs-simple,1",
                  "ebs-simple,4",  "ebs-simple,16", "ebs-simple,64", "ebs-simple,256"};
  return serve_native(r, {.use = use,
                          .programs = nested_programs(door),
                          .warm_up = nested_warm_up(door),
                          .schedules = schedules_of(r, all)});
}

struct plain_inner_loops : doall_loops {
  template <class Body>
  void inner(std::size_t count, const Body& body) const {
    run_part(body, 0, count);
  }
};

// A schedule is that of all loops; with `/plain` it is the outer loop's alone, and inner loops are
// plain ones.
int serve_inner(const lane_request& r) {
  constexpr std::string_view plain = "/plain";
  doall::loop_options options;
  bool is_plain = false;
  const auto use = [&](std::string text) {
    is_plain = text.ends_with(plain);
    if (is_plain) text.resize(text.size() - plain.size());
    options = options_from(text);
  };
  const auto door = [&](auto& kernel) {
    is_plain ? run(kernel, plain_inner_loops{{{options}}}) : run(kernel, doall_loops{options});
  };
  return serve_native(
      r, {.use = use,
          .programs = {make_program<inner_loops>("inner-loops", "none", "no", door)},
          .warm_up = make_program<inner_loops>("warm-up", "none", "no", door),
          .schedules = [](const program&) { return texts{"lbs", "lbs/plain", "default"}; }});
}

int serve_hybrid(const lane_request& r) {
  const unsigned threads = doall_threads();
  std::string how = "static";
  const auto door = [&](auto& kernel) {
    // In any order, as the peers' reductions: the fixed one would divide the loops itself.
    const doall::loop_options options{.how = paper_schedule(with_chunk_of(kernel, threads, how)),
                                      .order = doall::reduce_order::any};
    run(kernel, doall_loops{options});
  };
  const texts all{"hybrid",  "static", "dynamic,chunk", "guided,chunk", "static-steal,chunk",
                  "affinity"};
  return serve_native(r, {.use = [&how](const std::string& text) { how = text; },
                          .programs = hybrid_programs(door),
                          .warm_up = hybrid_warm_up(door),
                          .schedules = schedules_of(r, all)});
}

// Learns its loops' schedules while a program runs (lanes/learner.hpp).
struct learnt_options {
  learner& choices;

  learner::trial at(const std::source_location& where) const { return choices.at(where); }
  static const doall::loop_options& inside() { return learner::inside(); }
};

// A schedule is that of all loops; `learner;A;B;...` chooses among those.
int serve_auto(const lane_request& r) {
  const std::string learns = "learner;";
  doall::loop_options options;
  std::optional<learner> choices;
  const auto use = [&](const std::string& text) {
    choices.reset();
    if (text.starts_with(learns)) {
      choices.emplace(text.substr(learns.size()));
    } else {
      options = options_from(text);
      options.order = doall::reduce_order::any;  // as the peers' reductions
    }
  };
  const auto door = [&](auto& kernel) {
    choices ? run_silently(kernel, silent_loops<learnt_options>{{{*choices}}})
            : run_silently(kernel, silent_loops<same_options>{{{options}}});
  };
  return serve_native(r, {.use = use,
                          .programs = every_program(door, door, size_of(r.size)),
                          .warm_up = fine_warm_up(door)});
}

}  // namespace

int main(int argc, char** argv) {
  return serve_experiment(texts(argv + 1, argv + argc), {{"afs", serve_afs},
                                                         {"programs", serve_programs},
                                                         {"lbs", serve_lbs},
                                                         {"inner", serve_inner},
                                                         {"hybrid", serve_hybrid},
                                                         {"auto", serve_auto}});
}
