// A program as C++ has them: classes, templates and the standard library, and a few loops that are
// parallel. What compiling it takes is compared.
//
// particles [STEPS]: prints a checksum.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

template <class T, std::size_t N>
struct point {
  std::array<T, N> at{};

  friend point operator+(point a, const point& b) {
    std::transform(a.at.begin(), a.at.end(), b.at.begin(), a.at.begin(), std::plus<T>());
    return a;
  }
  friend point operator*(point a, T by) {
    for (T& x : a.at) x *= by;
    return a;
  }
  T norm() const { return std::sqrt(std::inner_product(at.begin(), at.end(), at.begin(), T{})); }
};

template <class T, std::size_t N>
struct particle {
  point<T, N> place, speed;
  T mass{};
  std::vector<int> near;
};

class shape {
 public:
  virtual ~shape() = default;
  virtual double force(double distance) const = 0;
};
class spring final : public shape {
 public:
  double force(double distance) const override { return -0.1 * distance; }
};
class gravity final : public shape {
 public:
  double force(double distance) const override { return 1 / (1 + distance * distance); }
};

template <class T, std::size_t N>
class world {
 public:
  explicit world(int count) : all_(count) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<T> where(-1, 1);
    for (auto& p : all_) {
      for (T& x : p.place.at) x = where(random);
      p.mass = 1 + std::abs(where(random));
    }
    std::sort(all_.begin(), all_.end(),
              [](const auto& a, const auto& b) { return a.place.norm() < b.place.norm(); });
  }

  void find_near(T limit) {
    const int n = static_cast<int>(all_.size());
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      all_[i].near.clear();
      for (int j = 0; j < n; ++j) {
        if (i != j && (all_[i].place + all_[j].place * T(-1)).norm() < limit)
          all_[i].near.push_back(j);
      }
    }
  }

  void step(const shape& by, T time) {
    const int n = static_cast<int>(all_.size());
    std::vector<point<T, N>> forces(all_.size());
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; ++i) {
        for (const int j : all_[i].near) {
          const auto way = all_[j].place + all_[i].place * T(-1);
          forces[i] = forces[i] + way * (by.force(way.norm()) / all_[i].mass);
        }
      }
#pragma omp for
      for (int i = 0; i < n; ++i) {
        all_[i].speed = all_[i].speed + forces[i] * time;
        all_[i].place = all_[i].place + all_[i].speed * time;
      }
    }
  }

  T energy() const {
    T sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < all_.size(); ++i)
      sum += all_[i].mass * all_[i].speed.norm() * all_[i].speed.norm() / 2;
    return sum;
  }

  std::map<int, std::vector<std::string>> histogram() const {
    std::map<int, std::vector<std::string>> found;
    std::unordered_map<std::string, int> names;
    for (const auto& p : all_) {
      std::ostringstream name;
      name << "ring " << static_cast<int>(10 * p.place.norm());
      ++names[name.str()];
    }
    for (const auto& [name, count] : names) found[count].push_back(name);
    for (auto& [count, of] : found) std::sort(of.begin(), of.end());
    return found;
  }

 private:
  std::vector<particle<T, N>> all_;
};

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10;
  std::vector<std::unique_ptr<shape>> shapes;
  shapes.push_back(std::make_unique<spring>());
  shapes.push_back(std::make_unique<gravity>());
  world<double, 3> space(2000);
  world<float, 2> plane(1000);
  space.find_near(0.3);
  plane.find_near(0.1F);
  for (int i = 0; i < steps; ++i) {
    space.step(*shapes[i % shapes.size()], 0.01);
    plane.step(*shapes[0], 0.01F);
  }
  std::cout << std::round(1e6 * space.energy()) << ' ' << space.histogram().size() << ' '
            << plane.histogram().size() << '\n';
}
