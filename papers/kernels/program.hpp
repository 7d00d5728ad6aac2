// A program that lanes offer: a kernel with its input, and how its loops are run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kernels/kernel.hpp"

namespace doall::bench {

// On one thread, compiled once (lanes/serial.cpp). A kernel may have an overload, another algorithm
// with the same answer.
template <class Kernel>
void run_serial(Kernel& k);

// A kernel with its input, and how its loops are run.
struct program {
  std::string name;
  std::string imbalance;  // in the words of AFS's Table 1
  std::string affinity;
  std::function<std::unique_ptr<kernel>(size)> make;
  std::function<void(kernel&)> serial;    // for kernels that `make` has made
  std::function<void(kernel&)> parallel;  // likewise; through one door, on its schedule of now
  bool reduces = false;                   // is a reduction, so that its order can be chosen
};

template <class Kernel, class Door, class... Input>
program make_program(std::string name, std::string imbalance, std::string affinity, Door door,
                     Input... input) {
  return {std::move(name),
          std::move(imbalance),
          std::move(affinity),
          [input...](size s) { return std::make_unique<Kernel>(s, input...); },
          [](kernel& k) { run_serial(static_cast<Kernel&>(k)); },
          [door](kernel& k) { door(static_cast<Kernel&>(k)); }};
}

}  // namespace doall::bench
