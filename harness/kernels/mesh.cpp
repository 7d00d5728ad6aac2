#include "kernels/mesh.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/rng.hpp"

namespace doall::bench {
namespace {

using triangle = std::array<int, 3>;  // nodes, counter-clockwise

// A side of a triangle, which lies to its left.
struct side {
  int from, to;
  point centroid;

  std::pair<int, int> edge() const { return std::minmax(from, to); }
};

double uniform(base::rng& random) {
  return static_cast<double>(random.next() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
}

std::vector<point> jittered_grid(int columns, int rows, base::rng& random) {
  constexpr double jitter = 0.2;  // of the distance: no triangle turns over
  std::vector<point> nodes;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const bool within = row > 0 && row + 1 < rows && column > 0 && column + 1 < columns;
      const auto moved = [&](int at) {
        return within ? at + jitter * (2 * uniform(random) - 1) : static_cast<double>(at);
      };
      const double x = moved(column) / (columns - 1);
      nodes.push_back({x, moved(row) / (rows - 1)});
    }
  }
  return nodes;
}

std::vector<triangle> cut(int columns, int rows, base::rng& random) {
  std::vector<triangle> triangles;
  for (int row = 0; row + 1 < rows; ++row) {
    for (int column = 0; column + 1 < columns; ++column) {
      const int a = row * columns + column;
      const int b = a + 1;
      const int c = b + columns;
      const int d = a + columns;
      if (random.below(2) == 0) {
        triangles.insert(triangles.end(), {triangle{a, b, c}, triangle{a, c, d}});
      } else {
        triangles.insert(triangles.end(), {triangle{a, b, d}, triangle{b, c, d}});
      }
    }
  }
  return triangles;
}

// To the right of the way from p to q, as long as that.
point normal(point p, point q) { return {q.y - p.y, p.x - q.x}; }

point middle(point p, point q) { return {(p.x + q.x) / 2, (p.y + q.y) / 2}; }

}  // namespace

mesh::mesh(int columns, int rows) {
  base::rng random(4);
  nodes = jittered_grid(columns, rows, random);
  volumes.resize(nodes.size());
  const auto at = [&](int node) { return nodes[static_cast<std::size_t>(node)]; };

  std::vector<side> sides;
  for (const auto& [a, b, c] : cut(columns, rows, random)) {
    const point p = at(a);
    const point q = at(b);
    const point r = at(c);
    const double area = ((q.x - p.x) * (r.y - p.y) - (r.x - p.x) * (q.y - p.y)) / 2;
    for (const int node : {a, b, c}) volumes[static_cast<std::size_t>(node)] += area / 3;
    const point centroid{(p.x + q.x + r.x) / 3, (p.y + q.y + r.y) / 3};
    sides.insert(sides.end(), {side{a, b, centroid}, side{b, c, centroid}, side{c, a, centroid}});
  }
  // An edge's two sides come one after the other; at the boundary it has one.
  std::ranges::sort(sides, {}, [](const side& s) { return std::tuple(s.edge(), s.from); });
  std::vector<point> wall_normals(nodes.size(), point{0, 0});
  for (auto s = sides.begin(); s != sides.end();) {
    const auto [from, to] = s->edge();
    const point on_boundary = middle(at(from), at(to));
    face f{on_boundary, on_boundary};
    const auto next = std::find_if(s, sides.end(), [&](const side& other) {
      return other.edge() != std::pair<int, int>(from, to);
    });
    if (next - s == 1) {
      const point outward = normal(at(s->from), at(s->to));
      for (const int node : {from, to}) {
        wall_normals[static_cast<std::size_t>(node)].x += outward.x / 2;
        wall_normals[static_cast<std::size_t>(node)].y += outward.y / 2;
      }
    }
    for (; s != next; ++s) (s->from == from ? f.left : f.right) = s->centroid;
    edges.push_back({from, to});
    faces.push_back(f);
    normals.push_back(normal(f.right, f.left));
  }

  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const point outward = wall_normals[node];
    if (outward.x != 0 || outward.y != 0) walls.push_back({static_cast<int>(node), outward});
  }
  std::vector<std::vector<spoke>> spokes_of(nodes.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = std::pair(edges[i].from, edges[i].to);
    spokes_of[static_cast<std::size_t>(from)].push_back({static_cast<int>(i), to, 1});
    spokes_of[static_cast<std::size_t>(to)].push_back({static_cast<int>(i), from, -1});
  }
  first_spoke.push_back(0);
  for (const auto& of_node : spokes_of) {
    spokes.insert(spokes.end(), of_node.begin(), of_node.end());
    first_spoke.push_back(static_cast<int>(spokes.size()));
  }
}

}  // namespace doall::bench
