// firstprivate objects with constructors: each task has a copy of its own, of
// the alignment of its type, and every copy is destroyed.
#include <omp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "check.h"

namespace {

int alive = 0;

struct alignas(256) counted {
  std::vector<int> values = {1, 2, 3};

  counted() { count(1); }
  counted(const counted& other) : values(other.values) { count(1); }
  ~counted() { count(-1); }
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 256 == 0; }

 private:
  static void count(int change) {
#pragma omp atomic
    alive += change;
  }
};

void tasks_have_copies() {
  counted object;
  std::string text = "a text that is too long for the small string optimisation";
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(object, text)
    {
      object.values.push_back(i);
      text += "!";
      CHECK(object.values.size() == 4 && object.values[3] == i);
      CHECK(object.aligned());
      CHECK(text.back() == '!' && text[text.size() - 2] != '!');
    }
  }
  CHECK(object.values.size() == 3);
}

void taskloops_have_copies() {
  counted object;
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop firstprivate(object) grainsize(strict : 10) reduction(+ : sum)
  for (int i = 0; i < 95; ++i) {
    object.values.push_back(i);
    CHECK(object.aligned());
    CHECK(object.values.size() == 4U + i % 10);
    ++sum;
  }
  CHECK(sum == 95);
}

}  // namespace

int main() {
  tasks_have_copies();
  taskloops_have_copies();
  CHECK(alive == 0);
  return check_result();
}
