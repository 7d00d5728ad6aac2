#include "kernels/advection.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace doall::bench {
namespace {

using std::numbers::pi;

// Loops by number, as residence counts them.
enum loop : std::size_t {
  turn,
  take,
  donor,
  apply,
  centre,
  means,
  differ,
  close,
  carry,
  against,
  widen,
  limits,
  limit
};

// Keeps a quotient finite; less than the rounding of any field here.
constexpr double tiny = 1e-15;

// The most of a cell that a step of the full flow may empty. Upwind needs at most 1.
constexpr double courant = 0.5;

// A vortex that is at rest at the walls; velocity (dPsi/dy, -dPsi/dx), about 1 at most.
double stream_function(point p) {
  const double x = std::sin(pi * p.x);
  const double y = std::sin(pi * p.y);
  return x * x * y * y / pi;
}

}  // namespace

advection::advection(size s)
    : advection(s == size::paper ? 64 : 12, s == size::paper ? 87 : 16, s == size::paper ? 20 : 4) {
}

advection::advection(int columns, int rows_count, int steps, int corrections)
    : mesh_(columns, rows_count),
      steps_(steps),
      corrections_(corrections),
      full_flow_(mesh_.edges.size()),
      psi_(1, mesh_.nodes.size()),
      least_(psi_),
      greatest_(psi_),
      velocity_x_(psi_),
      velocity_y_(psi_),
      gradient_x_(psi_),
      gradient_y_(psi_),
      carried_(psi_),
      may_take_(psi_),
      may_give_(psi_),
      flow_(1, mesh_.edges.size()),
      mean_x_(flow_),
      mean_y_(flow_),
      flux_(flow_) {
  // What flows across a line from one point to another is the difference of the stream
  // function, whatever the line: exactly as much enters a cell as leaves it.
  std::vector<double> leaving(mesh_.nodes.size());
  for (std::size_t e = 0; e < mesh_.edges.size(); ++e) {
    const mesh::edge& edge = mesh_.edges[e];
    const mesh::face& face = mesh_.faces[e];
    full_flow_[e] = stream_function(face.left) - stream_function(face.right);
    leaving[static_cast<std::size_t>(full_flow_[e] > 0 ? edge.from : edge.to)] +=
        std::abs(full_flow_[e]);
  }
  double fastest = 0;
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    fastest = std::max(fastest, leaving[i] / mesh_.volumes[i]);
  }
  for (double& flow : full_flow_) flow *= courant / fastest;
}

double advection::initial(point p) {
  const double distance = std::hypot(p.x - 0.5, p.y - 0.75) / 0.2;
  if (distance >= 1) return background;
  return background + (1 - background) * (1 + std::cos(pi * distance)) / 2;
}

void advection::reset() {
  for (std::size_t i = 0; i < mesh_.nodes.size(); ++i) psi_[0][i] = initial(mesh_.nodes[i]);
}

std::vector<std::size_t> advection::loop_lengths() const {
  const auto nodes = static_cast<std::size_t>(node_strips());
  const auto edges = static_cast<std::size_t>(edge_strips());
  std::vector<std::size_t> lengths(limit + 1, nodes);
  for (const loop over_edges : {turn, donor, means, against, limit}) lengths[over_edges] = edges;
  lengths[close] = static_cast<std::size_t>(wall_strips());
  return lengths;
}

advection::part advection::part_of(std::size_t length, int strip) {
  const std::size_t begin = static_cast<std::size_t>(strip) * strip_length;
  return {begin, std::min(begin + strip_length, length)};
}

std::span<const mesh::spoke> advection::spokes(std::size_t node) const {
  const int first = mesh_.first_spoke[node];
  return {mesh_.spokes.data() + first,
          static_cast<std::size_t>(mesh_.first_spoke[node + 1] - first)};
}

double advection::speed(int step) const { return std::cos(pi * (step + 0.5) / steps_); }

void advection::turn_flow(double speed, int strip) {
  note(turn, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.edges.size(), strip);
  double* flow = flow_[0];
  for (std::size_t e = begin; e < end; ++e) flow[e] = speed * full_flow_[e];
}

void advection::take_extrema(int strip) {
  note(take, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* psi = psi_[0];
  for (std::size_t i = begin; i < end; ++i) {
    double least = psi[i];
    double greatest = psi[i];
    for (const mesh::spoke& s : spokes(i)) {
      least = std::min(least, psi[s.neighbour]);
      greatest = std::max(greatest, psi[s.neighbour]);
    }
    least_[0][i] = least;
    greatest_[0][i] = greatest;
  }
}

void advection::widen_extrema(int strip) {
  note(widen, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* psi = psi_[0];
  for (std::size_t i = begin; i < end; ++i) {
    double least = std::min(least_[0][i], psi[i]);
    double greatest = std::max(greatest_[0][i], psi[i]);
    for (const mesh::spoke& s : spokes(i)) {
      least = std::min(least, psi[s.neighbour]);
      greatest = std::max(greatest, psi[s.neighbour]);
    }
    least_[0][i] = least;
    greatest_[0][i] = greatest;
  }
}

void advection::donor_flux(int strip) {
  note(donor, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.edges.size(), strip);
  const double* psi = psi_[0];
  for (std::size_t e = begin; e < end; ++e) {
    const mesh::edge& edge = mesh_.edges[e];
    const double flow = flow_[0][e];
    flux_[0][e] = flow * psi[flow > 0 ? edge.from : edge.to];
  }
}

void advection::apply_fluxes(int strip) {
  note(apply, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* flux = flux_[0];
  for (std::size_t i = begin; i < end; ++i) {
    double leaving = 0;
    for (const mesh::spoke& s : spokes(i)) leaving += s.outward * flux[s.edge];
    psi_[0][i] -= leaving / mesh_.volumes[i];
  }
}

// The mean velocity in a cell is the mean of position times outflow over its boundary,
// where the flow has no divergence.
void advection::gather_velocity(int strip) {
  note(centre, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* flow = flow_[0];
  for (std::size_t i = begin; i < end; ++i) {
    const point here = mesh_.nodes[i];
    double x = 0;
    double y = 0;
    for (const mesh::spoke& s : spokes(i)) {
      const point there = mesh_.nodes[static_cast<std::size_t>(s.neighbour)];
      const double leaving = s.outward * flow[s.edge] / 2;  // faces are half-way
      x += leaving * (there.x - here.x);
      y += leaving * (there.y - here.y);
    }
    velocity_x_[0][i] = x / mesh_.volumes[i];
    velocity_y_[0][i] = y / mesh_.volumes[i];
  }
}

void advection::face_means(int strip) {
  note(means, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.edges.size(), strip);
  const double* psi = psi_[0];
  for (std::size_t e = begin; e < end; ++e) {
    const mesh::edge& edge = mesh_.edges[e];
    const double mean = (psi[edge.from] + psi[edge.to]) / 2;
    mean_x_[0][e] = mean * mesh_.normals[e].x;
    mean_y_[0][e] = mean * mesh_.normals[e].y;
  }
}

void advection::gather_gradient(int strip) {
  note(differ, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* mean_x = mean_x_[0];
  const double* mean_y = mean_y_[0];
  for (std::size_t i = begin; i < end; ++i) {
    double x = 0;
    double y = 0;
    for (const mesh::spoke& s : spokes(i)) {
      x += s.outward * mean_x[s.edge];
      y += s.outward * mean_y[s.edge];
    }
    gradient_x_[0][i] = x / mesh_.volumes[i];
    gradient_y_[0][i] = y / mesh_.volumes[i];
  }
}

void advection::close_gradient(int strip) {
  note(close, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.walls.size(), strip);
  for (std::size_t w = begin; w < end; ++w) {
    const mesh::wall& wall = mesh_.walls[w];
    const auto i = static_cast<std::size_t>(wall.node);
    gradient_x_[0][i] += psi_[0][i] * wall.normal.x / mesh_.volumes[i];
    gradient_y_[0][i] += psi_[0][i] * wall.normal.y / mesh_.volumes[i];
  }
}

void advection::carried_gradient(int strip) {
  note(carry, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  for (std::size_t i = begin; i < end; ++i) {
    carried_[0][i] = velocity_x_[0][i] * gradient_x_[0][i] + velocity_y_[0][i] * gradient_y_[0][i];
  }
}

// An upwind flux is that of the mean psi, less |flow| (to - from) / 2, which is error,
// and what a centred flux at the step's beginning lacks is flow times carried / 2. The
// new flow carries the mean psi by just the difference of the two.
void advection::antidiffuse(int strip) {
  note(against, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.edges.size(), strip);
  const double* psi = psi_[0];
  const double* carried = carried_[0];
  for (std::size_t e = begin; e < end; ++e) {
    const mesh::edge& edge = mesh_.edges[e];
    const double smeared = std::abs(flow_[0][e]) * (psi[edge.to] - psi[edge.from]);
    const double late = flow_[0][e] * (carried[edge.from] + carried[edge.to]) / 2;
    flow_[0][e] = (smeared - late) / (psi[edge.from] + psi[edge.to] + tiny);
  }
}

void advection::gather_limits(int strip) {
  note(limits, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.nodes.size(), strip);
  const double* flux = flux_[0];
  for (std::size_t i = begin; i < end; ++i) {
    double taken = tiny;
    double given = tiny;
    for (const mesh::spoke& s : spokes(i)) {
      const double leaving = s.outward * flux[s.edge];
      given += std::max(leaving, 0.0);
      taken += std::max(-leaving, 0.0);
    }
    may_take_[0][i] = std::min(1.0, (greatest_[0][i] - psi_[0][i]) * mesh_.volumes[i] / taken);
    may_give_[0][i] = std::min(1.0, (psi_[0][i] - least_[0][i]) * mesh_.volumes[i] / given);
  }
}

void advection::limit_fluxes(int strip) {
  note(limit, static_cast<std::size_t>(strip));
  const auto [begin, end] = part_of(mesh_.edges.size(), strip);
  const double* may_take = may_take_[0];
  const double* may_give = may_give_[0];
  for (std::size_t e = begin; e < end; ++e) {
    const mesh::edge& edge = mesh_.edges[e];
    const bool along = flow_[0][e] > 0;
    const double allowed =
        std::min(may_give[along ? edge.from : edge.to], may_take[along ? edge.to : edge.from]);
    flow_[0][e] *= allowed;
    flux_[0][e] *= allowed;
  }
}

}  // namespace doall::bench
