// Helpers of a region and its end (src/tasks/open_region.hpp): what a helper uses of the region is
// there until it has left; the leader sees what helpers did; a helper of one region never gets into
// the next one.
#include "model_run.hpp"
#include "tasks/open_region.hpp"

namespace {

using namespace doall;

// Thread 0 leads two regions. The others have ended their part of the first one, and try to help.
template <unsigned Helpers>
struct two_regions : rl::test_suite<two_regions<Helpers>, Helpers + 1> {
  tasks::open_region open;
  std::uint32_t first = 0;
  sync::plain<int> of_region;  // what helpers use; the leader changes it between regions
  sync::plain<int> done[Helpers];
  sync::atomic<int> helped{0};

  void before() {
    first = open.begin();
    of_region.set(1);
    for (auto& d : done) d.set(0);
  }

  void thread(unsigned index) {
    if (index != 0) {
      help(index - 1);
      return;
    }
    RL_ASSERT(open.note());
    RL_ASSERT(!open.note());
    open.close(0);
    read_what_helpers_did();
    of_region.set(2);
    const std::uint32_t second = open.begin();
    RL_ASSERT(second != first);
    open.note();
    open.close(0);
    read_what_helpers_did();
    of_region.set(3);
  }

  void help(unsigned h) {
    if (!open.enter(first)) return;
    RL_ASSERT(of_region.get() == 1);
    done[h].set(done[h].get() + 1);
    helped.fetch_add(1, sync::relaxed);
    open.exit();
  }

  void read_what_helpers_did() {
    int all = 0;
    for (auto& d : done) all += d.get();
    RL_ASSERT(all <= static_cast<int>(Helpers));
  }

  void after() {
    int all = 0;
    for (auto& d : done) all += d.get();
    RL_ASSERT(all == helped.load(sync::relaxed));
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<two_regions<1>>("one_helper");
  models.run<two_regions<2>>("two_helpers");
  return models.finish();
}
