#include "cows/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/benchmark.hpp"
#include "cows/report.hpp"
#include "kernels/cows-bfs/steps.hpp"
#include "kernels/cows-components/steps.hpp"
#include "kernels/cows-k-committee/steps.hpp"
#include "kernels/cows-leader-election/steps.hpp"
#include "kernels/cows-pagerank/steps.hpp"

namespace doall::bench {
namespace {

// What has been computed is what the serial algorithm does.
void expect_serial_answer(const program& p, kernel& k) {
  const auto answer = k.answer();
  const std::vector<std::byte> found(answer.begin(), answer.end());
  k.reset();
  p.serial(k);
  if (std::ranges::equal(k.answer(), found)) return;
  throw cli::failure(cli::failed,
                     fmt::format("{}: the answer differs from the serial one's", p.name));
}

// The programs of one graph, one after the other.
void run_graph(const cows_choice& asked, const graph_input& g, machine& all, cows_report& made) {
  loop_recorder recorder;
  const auto door = [&](auto& kernel) { run_steps(kernel, recorded_cows_loops(recorder)); };
  for (const program& p : cows_programs(door, {g})) {
    if (!is_asked_for(p.name, asked.programs)) continue;
    show_progress(fmt::format("recording {}", p.name));
    const auto k = p.make(asked.size());
    recorder = {};
    k->reset();
    p.parallel(*k);
    expect_serial_answer(p, *k);
    const std::vector<recorded_loop> loops = recorder.take();
    show_progress(fmt::format("running {}", p.name));
    all.run(loops);
    const auto& graph = static_cast<const cows_kernel&>(*k).graph();
    cows_outcome one{.program = p.name,
                     .graph = g,
                     .vertices = graph.vertices(),
                     .directed_edges = graph.directed_edges(),
                     .loops = recorder.executions(),
                     .kept = loops.size(),
                     .is_costed = std::ranges::any_of(loops, [](const recorded_loop& loop) {
                       return loop.kind == loop_kind::costed;
                     })};
    for (const std::uint32_t workers : asked.machine.workers) {
      for (const std::string& schedule : cows_schedules()) {
        one.figures[workers][schedule] = all.of(loops, schedule, workers);
      }
    }
    made.programs.push_back(std::move(one));
  }
}

}  // namespace

void run_virtual(const cows_choice& asked) {
  json_file json(asked.threads.json_file);
  cows_report made{.asked = asked.machine, .left_out = {}};
  const std::vector<graph_input> graphs = graphs_of(asked, made.left_out);
  if (graphs.empty()) {
    throw cli::failure(cli::bad_usage, "--graphs: none is there whose name begins so");
  }
  fmt::print("{}", header_text(made));
  for (const graph_input& g : graphs) {
    machine all(asked.machine);  // a graph's loops are no other's
    run_graph(asked, g, all, made);
  }
  if (made.programs.empty()) {
    throw cli::failure(cli::bad_usage, "--programs: no program has a name that begins so");
  }
  show_progress("");
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace doall::bench
