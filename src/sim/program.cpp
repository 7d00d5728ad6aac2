#include "sim/program.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/rng.hpp"

namespace doall::sim {

program_run run_program(const program& what, const machine& on, std::uint32_t processors,
                        const schedules::spec& schedule, std::uint64_t seed) {
  if (processors == 0 || processors > on.processors) {
    throw std::invalid_argument(std::to_string(processors) + " processors of " + on.name +
                                ", expected 1 to " + std::to_string(on.processors));
  }
  memory_system memory(on, processors, what.blocks, what.block_bytes);
  std::vector<std::unique_ptr<virtual_loop>> sites(what.sites);
  base::rng dice(seed);
  std::vector<double> arrivals(processors);
  program_run done;
  for (u64 k = 0; k < what.loops; ++k) {
    program_loop loop = what.loop(k);
    for (double& at : arrivals)
      at = on.spread * std::ldexp(static_cast<double>(dice.next() >> 11), -53);
    loop_setup setup{.schedule = schedule,
                     .shape = {loop.iterations, processors},
                     .costs = std::move(loop.costs),
                     .unit = on.unit,
                     .uses = std::move(loop.uses),
                     .memory = &memory,
                     .prices = on.sync,
                     .arrivals = arrivals};
    auto& site = sites[k % what.sites];
    memory.begin_loop();
    if (site == nullptr)
      site = std::make_unique<virtual_loop>(std::move(setup));
    else
      site->change(std::move(setup));
    const worker_account all = site->run().total();
    done.time += all.left;
    done.synchronisations += all.local + all.remote + all.central;
  }
  done.fetched = memory.fetched();
  return done;
}

}  // namespace doall::sim
