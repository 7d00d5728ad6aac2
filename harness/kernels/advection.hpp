// Advection on an unstructured grid by MPDATA, as in fine-grain, section 5.2.1.
//
// The field psi is carried by a flow through a closed square. MPDATA (Smolarkiewicz,
// J. Comput. Phys. 54, 1984) takes an upwind step, which keeps psi positive and smears
// it, then estimates the velocity of the smearing and takes upwind steps against it.
// Edge-based, for a grid's dual cells: Smolarkiewicz & Szmelter, J. Comput. Phys. 206,
// 2005. No new extrema: Smolarkiewicz & Grabowski, J. Comput. Phys. 86, 1990. Written
// from these descriptions; the paper runs ECMWF's own kernel.
//
// A step, each line a parallel loop over nodes, edges or the nodes of the walls:
//   edges  turn_flow           through the faces, at the middle of the step
//   nodes  take_extrema        of psi among neighbours
//   edges  donor_flux          upwind
//   nodes  apply_fluxes
//   and in each of two corrections:
//   nodes  gather_velocity     of the cell, from its faces
//   edges  face_means
//   nodes  gather_gradient     of psi: Green & Gauss
//   walls  close_gradient      ... and the boundary's part
//   nodes  carried_gradient    velocity times gradient
//   edges  antidiffuse         the velocity that compensates the smearing
//   nodes  widen_extrema       by those of psi after the last pass
//   edges  donor_flux          by the new velocity
//   nodes  gather_limits       what a cell may take and give without a new extremum
//   edges  limit_fluxes
//   nodes  apply_fluxes
// 26 loops a step. The paper's code has 36; it names none of them.
//
// Who writes an edge or a node reads others' but writes its own alone: sums over a
// node's edges are gathered in the order of its list. No atomics, the same bits in any
// order. An iteration is 16 nodes or edges: two cache lines of doubles.
//
// Invariants: the sum of psi times cell areas is constant, to rounding; psi stays between
// its least and greatest initial values, for the flow has no divergence (it is a stream
// function's differences). The flow turns back half-way (LeVeque, SIAM J. Numer. Anal.
// 33, 1996), so at the end psi is what it was, up to the method's error.
//
// Sizes: the paper's 5,568 nodes; 16,403 edges, for the paper's 16,399.
// Imbalance: little, nodes have four to eight edges. Affinity: yes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/mesh.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

class advection final : public kernel {
 public:
  explicit advection(size s);
  // columns * rows nodes; without corrections it is the upwind scheme.
  advection(int columns, int rows, int steps, int corrections = 2);

  void reset() override;
  std::span<const std::byte> answer() const override { return psi_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override;

  int steps() const { return steps_; }
  int corrections() const { return corrections_; }

  // Of the flow in the middle of a step, in parts of the full one.
  double speed(int step) const;

  // How many iterations a loop over them has.
  int node_strips() const { return strips(mesh_.nodes.size()); }
  int edge_strips() const { return strips(mesh_.edges.size()); }
  int wall_strips() const { return strips(mesh_.walls.size()); }

  // Iteration `strip` of the loops above.
  void turn_flow(double speed, int strip);
  void take_extrema(int strip);
  void donor_flux(int strip);
  void apply_fluxes(int strip);
  void gather_velocity(int strip);
  void face_means(int strip);
  void gather_gradient(int strip);
  void close_gradient(int strip);
  void carried_gradient(int strip);
  void antidiffuse(int strip);
  void widen_extrema(int strip);
  void gather_limits(int strip);
  void limit_fluxes(int strip);

  const mesh& grid() const { return mesh_; }
  double psi(std::size_t node) const { return psi_[0][node]; }
  point gradient(std::size_t node) const { return {gradient_x_[0][node], gradient_y_[0][node]}; }

  // psi before the first step, at most 1.
  static constexpr double background = 0.01;
  static double initial(point p);

 private:
  static constexpr std::size_t strip_length = 16;
  static int strips(std::size_t length) {
    return static_cast<int>((length + strip_length - 1) / strip_length);
  }
  // The part of [0, length) that iteration `strip` is.
  struct part {
    std::size_t begin, end;
  };
  static part part_of(std::size_t length, int strip);

  std::span<const mesh::spoke> spokes(std::size_t node) const;

  mesh mesh_;
  int steps_;
  int corrections_;
  std::vector<double> full_flow_;  // through the faces in a step, before it turns

  // One row each, which begins at a cache line. Of nodes:
  rows<double> psi_;
  rows<double> least_, greatest_;
  rows<double> velocity_x_, velocity_y_;  // times the length of a step
  rows<double> gradient_x_, gradient_y_;
  rows<double> carried_;
  rows<double> may_take_, may_give_;  // of the fluxes, 1: as they are
  // Of edges:
  rows<double> flow_;  // area through the face in a step, towards `to`
  rows<double> mean_x_, mean_y_;
  rows<double> flux_;  // of psi
};

template <class Loops>
void run(advection& k, const Loops& loops) {
  const int nodes = k.node_strips();
  const int edges = k.edge_strips();
  const int walls = k.wall_strips();
  for (int step = 0; step < k.steps(); ++step) {
    const double speed = k.speed(step);
    loops.each(edges, [&](int strip) { k.turn_flow(speed, strip); });
    loops.each(nodes, [&](int strip) { k.take_extrema(strip); });
    loops.each(edges, [&](int strip) { k.donor_flux(strip); });
    loops.each(nodes, [&](int strip) { k.apply_fluxes(strip); });
    for (int correction = 0; correction < k.corrections(); ++correction) {
      loops.each(nodes, [&](int strip) { k.gather_velocity(strip); });
      loops.each(edges, [&](int strip) { k.face_means(strip); });
      loops.each(nodes, [&](int strip) { k.gather_gradient(strip); });
      loops.each(walls, [&](int strip) { k.close_gradient(strip); });
      loops.each(nodes, [&](int strip) { k.carried_gradient(strip); });
      loops.each(edges, [&](int strip) { k.antidiffuse(strip); });
      loops.each(nodes, [&](int strip) { k.widen_extrema(strip); });
      loops.each(edges, [&](int strip) { k.donor_flux(strip); });
      loops.each(nodes, [&](int strip) { k.gather_limits(strip); });
      loops.each(edges, [&](int strip) { k.limit_fluxes(strip); });
      loops.each(nodes, [&](int strip) { k.apply_fluxes(strip); });
    }
  }
}

}  // namespace doall::bench
