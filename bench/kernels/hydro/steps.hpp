// The order of hydro's loops, for every runtime, which gives two members:
//   loops.each(first, last, body)    runs body(first) to body(last - 1) in parallel
//   loops.least(first, last, body)   ... and returns the least result
// A loop below is a site of its own: they are instantiated for every body.
#pragma once

#include "kernels/hydro/kernel.hpp"

namespace doall::bench {

// Moves what the deformed cells and their corners hold along one axis. Rows lie along x:
// a loop that reaches beyond the walls along y has more of them.
template <class Loops>
void run_sweep(hydro& k, const Loops& loops, axis a, sweep which, const auto& mirror) {
  const int n = k.n();
  const int beyond = a == axis::y ? field::beyond : 0;
  loops.each(-field::beyond, n + field::beyond, [&](int row) { k.cell_volumes(a, which, row); });
  loops.each(0, n + 1, [&](int row) { k.cell_flux(a, row); });
  loops.each(0, n, [&](int row) { k.remap_cells(a, row); });
  mirror(k.density_new);
  mirror(k.energy_new);
  mirror(a == axis::x ? k.mass_flux_x : k.mass_flux_y);
  mirror(k.u_new);
  mirror(k.v_new);
  loops.each(-beyond, n + 1 + beyond / 2, [&](int row) { k.node_flux(a, row); });
  loops.each(-beyond / 2, n + 1 + beyond / 2, [&](int row) { k.node_masses(a, row); });
  for (const field* velocity : {&k.u_new, &k.v_new}) {
    loops.each(-beyond / 2, n + 1, [&](int row) { k.momentum_flux(a, *velocity, row); });
    loops.each(0, n + 1, [&](int row) { k.remap_nodes(a, *velocity, row); });
  }
}

template <class Loops>
void run_steps(hydro& k, const Loops& loops) {
  const int n = k.n();
  const auto mirror = [&](const field& f) {
    loops.each(0, n + 1, [&](int row) { k.mirror_sides(f, row); });
    loops.each(0, k.strips(), [&](int strip) { k.mirror_ends(f, strip); });
  };
  for (int step = 0; step < k.steps(); ++step) {
    loops.each(0, n, [&](int row) { k.ideal_gas(k.density, k.energy, row); });
    loops.each(0, n, [&](int row) { k.smear_shocks(row); });
    k.begin_step(loops.least(0, n, [&](int row) { return k.time_step_of(row); }));

    loops.each(0, n, [&](int row) { k.compress(0.5, k.u, k.v, row); });
    loops.each(0, n, [&](int row) { k.ideal_gas(k.density_new, k.energy_new, row); });
    mirror(k.density);
    mirror(k.pressure);
    mirror(k.viscosity);
    loops.each(0, n + 1, [&](int row) { k.accelerate(row); });
    loops.each(0, n, [&](int row) { k.compress(1, k.u_new, k.v_new, row); });

    loops.each(0, n, [&](int row) { k.sweep_volume(axis::x, row); });
    loops.each(0, n + 1, [&](int row) { k.sweep_volume(axis::y, row); });
    mirror(k.volume_flux_x);
    mirror(k.volume_flux_y);
    mirror(k.density_new);
    mirror(k.energy_new);
    const bool x_first = step % 2 == 0;
    run_sweep(k, loops, x_first ? axis::x : axis::y, sweep::first, mirror);
    run_sweep(k, loops, x_first ? axis::y : axis::x, sweep::second, mirror);

    loops.each(0, n, [&](int row) { k.keep_cells(row); });
    loops.each(0, n + 1, [&](int row) { k.keep_nodes(row); });
  }
}

}  // namespace doall::bench
