// recursion's lanes: the programs, and the deep chain, on one runtime each. Verbs are
// papers/lanes/lane.hpp's, where a schedule is one of the runtime's forms of a fork; and
//   deep FORM LEVELS      nanoseconds a run, and bytes of stack a level
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/spmv.hpp"
#include "lanes/deep_chain.hpp"
#include "lanes/lane.hpp"

namespace doall::bench {

// What a program is made of, and so which forms it has.
enum class shape { pairs, choices, loops, product };
inline shape shape_of(const std::string& program) {
  if (program == "queens") return shape::choices;
  if (program == "sparse-product") return shape::product;
  return program.starts_with("tree-") ? shape::loops : shape::pairs;
}

// Rows of 248 to 30,982 non-zeros, 500 in the mean.
class uneven_product final : public kernel {
 public:
  explicit uneven_product(size s)
      : of(s == size::paper ? spmv::shape{20'000, 200'000, 10'000'000}
                            : spmv::shape{500, 5'000, 20'000}) {}

  void reset() override { of.reset(); }
  std::span<const std::byte> answer() const override { return of.answer(); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  spmv of;
};
inline void run_serial(uneven_product& k) { run_serial(k.of); }

// A group of tasks a fork: doall's and oneTBB's are written alike.
template <class Group>
struct forks_in_groups {
  template <class First, class Second>
  void invoke(const First& first, const Second& second) const {
    Group tasks;
    tasks.run([&] { first(); });
    second();
    tasks.wait();
  }
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
    Group tasks;
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted(i)) tasks.run([&body, i] { body(i); });
    }
    tasks.wait();
  }
};

struct recursion_lane {
  std::string library;
  unsigned threads = 1;
  std::function<void(const std::string& form)> use;
  std::function<std::vector<std::string>(shape)> forms;
  std::function<std::uint64_t(deep_chain&, const std::string& form)> chain;
};

// door(k) runs any kernel k in the form of now. Returns the status to exit with.
template <class Door>
int serve_recursion(const std::string& size_name, const recursion_lane& of, Door door) {
  const auto tree = [door](const std::string& name, unsigned depth, unsigned units) {
    return make_program<leaf_tree>(name, "none", "no", door, depth, units);
  };
  const auto chain = [&of](std::istream& words) {
    const std::string form = next_of(words);
    const auto found = time_chain(next_of<std::uint64_t>(words), [&](deep_chain& c) {
      if (form == serial_pairs || form == serial_loops) return run_chain(c, serial_forks(), form);
      return of.chain(c, form);
    });
    return in_a_line({found.run_ns, found.bytes_a_level});
  };
  return serve_lane(
      size_name,
      {.library = of.library,
       .threads = of.threads,
       .use = of.use,
       .programs = {make_program<fib_numbers>("fib", "large", "no", door),
                    make_program<all_queens>("queens", "large", "no", door),
                    make_program<tree_search>("tree-search", "large", "no", door, 12U),
                    make_program<tree_search>("tree-search-bare", "large", "no", door, 0U),
                    make_program<quick_sorting>("quicksort", "large", "no", door),
                    make_program<merge_sorting>("mergesort", "none", "no", door),
                    make_program<uneven_product>("sparse-product", "large", "no", door),
                    tree("tree-13ns", 12, 14), tree("tree-134ns", 10, 102),
                    tree("tree-1us", 9, 760), tree("tree-3us", 8, 2280)},
       .warm_up = make_program<fib_numbers>("warm-up", "large", "no", door),
       .schedules = [&of](const program& p) { return of.forms(shape_of(p.name)); },
       .verbs = {{"deep", chain}}});
}

}  // namespace doall::bench
