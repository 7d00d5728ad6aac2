// A program of two units, of which one knows std::stop_token and the other does not: libc++'s with
// and without -fexperimental-library (mixed.sh). Loops over the same types in both are apart, so
// the first one's can be stopped.
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>

// Bodies that both units have.
struct counts_ranges {
  std::atomic<int>* count;
  void operator()(doall::range<int> part) const { *count += static_cast<int>(part.size()); }
};
struct counts_indices {
  std::atomic<int>* count;
  void operator()(int) const { ++*count; }
};

// The number of iterations that ran, of 3,000.
int run_in_the_other_unit();

#if !defined(__cpp_lib_jthread)

int run_in_the_other_unit() {
  std::atomic<int> count{0};
  doall::parallel_for(0, 1000, counts_ranges{&count}, doall::schedule::dynamic());
  doall::parallel_for(0, 1000, counts_indices{&count}, doall::schedule::cyclic());
  doall::parallel_for(0, 1000, counts_indices{&count});
  return count;
}

#else

namespace {

int failures = 0;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

}  // namespace

int main() {
  expect(run_in_the_other_unit() == 3000, "a loop of the other unit");
  std::stop_source source;
  source.request_stop();
  std::atomic<int> count{0};
  const auto stops = [&](const char* how) {
    return doall::loop_options{.how = doall::schedule(how), .stop = source.get_token()};
  };
  for (const char* how : {"dynamic", "cyclic"}) {
    expect(
        doall::parallel_for(0, 1000, counts_ranges{&count}, stops(how)) == doall::loop_end::stopped,
        how);
    expect(doall::parallel_for(0, 1000, counts_indices{&count}, stops(how)) ==
               doall::loop_end::stopped,
           how);
  }
  expect(count == 0, "iterations have begun after the stop");
  doall::parallel_for(0, 1000, counts_indices{&count});
  doall::parallel_for(0, 10, [&](int) { doall::parallel_for(0, 100, counts_ranges{&count}); });
  expect(count == 2000, "a loop that is not stopped");
  doall::task_group tasks(source.get_token());
  tasks.run([&] { ++count; });
  expect(tasks.wait() == doall::loop_end::stopped && count == 2000, "a task has begun");
  return failures;
}

#endif
