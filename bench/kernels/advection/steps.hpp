// The order of advection's loops, for every runtime: each(count, body) is to run
// body(0) to body(count - 1) in parallel. A loop below is a site of its own: `each`
// is instantiated for every body.
#pragma once

#include "kernels/advection/kernel.hpp"

namespace doall::bench {

template <class Each>
void run_steps(advection& k, const Each& each) {
  const int nodes = k.node_strips();
  const int edges = k.edge_strips();
  const int walls = k.wall_strips();
  for (int step = 0; step < k.steps(); ++step) {
    const double speed = k.speed(step);
    each(edges, [&](int strip) { k.turn_flow(speed, strip); });
    each(nodes, [&](int strip) { k.take_extrema(strip); });
    each(edges, [&](int strip) { k.donor_flux(strip); });
    each(nodes, [&](int strip) { k.apply_fluxes(strip); });
    for (int correction = 0; correction < k.corrections(); ++correction) {
      each(nodes, [&](int strip) { k.gather_velocity(strip); });
      each(edges, [&](int strip) { k.face_means(strip); });
      each(nodes, [&](int strip) { k.gather_gradient(strip); });
      each(walls, [&](int strip) { k.close_gradient(strip); });
      each(nodes, [&](int strip) { k.carried_gradient(strip); });
      each(edges, [&](int strip) { k.antidiffuse(strip); });
      each(nodes, [&](int strip) { k.widen_extrema(strip); });
      each(edges, [&](int strip) { k.donor_flux(strip); });
      each(nodes, [&](int strip) { k.gather_limits(strip); });
      each(edges, [&](int strip) { k.limit_fluxes(strip); });
      each(nodes, [&](int strip) { k.apply_fluxes(strip); });
    }
  }
}

}  // namespace doall::bench
