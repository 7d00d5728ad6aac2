// Plain data handed between threads in each way that native loops order; with -DRACE,
// once in a way that they do not. Built with ThreadSanitizer by tsan.sh.
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <array>
#include <cstdio>
#include <functional>
#include <list>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int size = 200;
constexpr int rounds = 20;

bool wrong = false;

void expect(bool condition) {
  if (!condition) __atomic_store_n(&wrong, true, __ATOMIC_RELAXED);
}

constexpr std::array names = {"static",        "dynamic",  "guided",        "affinity",
                              "affinity-last", "tapering", "mod-factoring", "trapezoid"};

// Each element is written in one loop by one worker and read in the next by another.
void run_loops(const doall::schedule& how) {
  std::vector<int> data(size);
  const auto forward = [&](int i) { data[static_cast<std::size_t>(i)] = i; };
  const auto backward = [&](int i) {
#ifdef RACE
    data[0] += 1;
#endif
    data[static_cast<std::size_t>(size - 1 - i)] += 1;
  };
  doall::parallel_for(0, size, forward, how);
  doall::parallel_for(0, size, backward, how);
  long sum = 0;
  for (const int value : data) sum += value;
#ifndef RACE
  expect(sum == size * (size + 1L) / 2);
#endif
}

void run_reductions(const doall::schedule& how) {
  const auto text = doall::parallel_reduce(
      0, size, std::string(),
      [](int) { return std::string("a string too long to stand in itself"); }, std::plus<>{}, how);
  expect(text.size() == size * std::string("a string too long to stand in itself").size());
}

void run_walks(const doall::schedule& how) {
  std::list<int> walked(size, 1);
  doall::parallel_for_each(walked, [](int& element) { element += 1; }, how);
  int sum = 0;
  for (const int element : walked) sum += element;
  expect(sum == 2 * size);
}

// The inner loops run on whoever meets them.
void run_nested(const doall::schedule& how) {
  std::vector<std::vector<int>> table(20, std::vector<int>(20));
  doall::parallel_for(
      0, 20,
      [&](int i) {
        doall::parallel_for(
            0, 20,
            [&](int j) { table[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = i * j; },
            how);
      },
      how);
  long sum = 0;
  for (const auto& row : table) {
    for (const int value : row) sum += value;
  }
  expect(sum == 190 * 190);
}

// What a body has written before it threw, and the exception itself.
void run_throwing(const doall::schedule& how) {
  int left = 0;
  try {
    doall::parallel_for(
        0, size,
        [&](int i) {
          if (i != size - 1) return;
          left = i;
          throw std::runtime_error("a message of which a copy is made");
        },
        how);
    expect(false);
  } catch (const std::runtime_error& e) {
    expect(left == size - 1 && std::string(e.what()).starts_with("a message"));
  }
}

void run_stopped(const doall::schedule& how) {
  std::stop_source source;
  int reason = 0;
  doall::parallel_for(0, size,
                      [&](int i) {
                        if (i != 3) return;
                        reason = i;
                        source.request_stop();
                      },
                      {.how = how, .stop = source.get_token()});
  expect(reason == 3 || source.stop_requested() == false);
}

void run_all() {
  const doall::thread_scope three(3);
  for (const char* name : names) {
    const doall::schedule how(name);
    run_loops(how);
    run_reductions(how);
    run_walks(how);
    run_nested(how);
    run_throwing(how);
    run_stopped(how);
  }
  run_loops({});
}

// The pool passes from one caller to another.
void run_two_callers() {
  std::thread other(run_all);
  run_all();
  other.join();
}

// Of a program with threads, which ThreadSanitizer allows on request.
void run_fork() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    run_all();
    _exit(wrong ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0);
}

}  // namespace

int main() {
  for (int round = 0; round < rounds; ++round) run_all();
  run_two_callers();
  run_fork();
  run_all();
  if (!wrong) std::puts("all right");
  return wrong ? 1 : 0;
}
