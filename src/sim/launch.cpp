#include "sim/launch.hpp"

#include <algorithm>

namespace doall::sim {

using barrier::branch;

launch::launch(std::uint32_t workers, std::uint32_t domain_size, const message_prices& prices,
               bool flat)
    : workers_(workers), domain_size_(domain_size), prices_(prices), flat_(flat) {
  for (std::uint32_t w = 0; w < workers; w += domain_size) domain_starts_.push_back(w);
}

std::vector<double> launch::begins() {
  std::vector<double> all(workers_);
  release({0, workers_}, 0, all);
  return all;
}

double launch::joined(const std::vector<double>& ends) { return join({0, workers_}, ends); }

double launch::latency(std::uint32_t from, std::uint32_t to) const {
  return from / domain_size_ == to / domain_size_ ? prices_.near : prices_.far;
}

barrier::tree launch::shape() const {
  return flat_ ? barrier::tree::flat() : barrier::tree::over(domain_starts_);
}

void launch::release(branch mine, double now, std::vector<double>& begins) {
  for (branch rest = mine; rest.size() > 1;) {
    const branch child = shape().last_child(rest);
    now += prices_.line;
    ++messages_;
    release(child, now + latency(mine.begin, child.begin), begins);
    rest.end = child.begin;
  }
  begins[mine.begin] = now;
}

double launch::join(branch mine, const std::vector<double>& ends) {
  double now = ends[mine.begin];
  for (std::uint32_t next = mine.begin + 1; next < mine.end;) {
    const branch child = shape().child_at(mine, next);
    const double there = join(child, ends) + latency(child.begin, mine.begin);
    ++messages_;
    now = std::max(now + prices_.line, there);
    next = child.end;
  }
  return now;
}

}  // namespace doall::sim
