// A list that threads make longer (src/omp/grown_list.hpp): all of them find the same links, each
// of which is as its maker has left it.
#include "model_run.hpp"
#include "omp/grown_list.hpp"

namespace {

using namespace doall;

struct link {
  // Relacy has none that is told the size.
  static void operator delete(void* memory) { ::operator delete(memory); }

  sync::plain<int> place;
  sync::atomic<link*> next{nullptr};
};

template <unsigned Threads>
struct all_go_deeper : rl::test_suite<all_go_deeper<Threads>, Threads> {
  static constexpr int links = 2;
  sync::atomic<link*> first{nullptr};
  sync::plain<link*> found[Threads][links];

  void thread(unsigned index) {
    sync::atomic<link*>* next = &first;
    for (int place = 0; place < links; ++place) {
      link* at = omp::behind(*next);
      if (at == nullptr) {
        auto made = std::make_unique<link>();
        made->place.set(place);
        at = omp::add_behind(*next, std::move(made));
      }
      RL_ASSERT(at->place.get() == place);
      found[index][place].set(at);
      next = &at->next;
    }
  }

  void after() {
    for (int place = 0; place < links; ++place) {
      for (unsigned t = 1; t < Threads; ++t)
        RL_ASSERT(found[t][place].get() == found[0][place].get());
    }
    for (link* at = first.load(sync::relaxed); at != nullptr;) {
      link* const next = at->next.load(sync::relaxed);
      delete at;
      at = next;
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<all_go_deeper<2>>("two_threads");
  models.run<all_go_deeper<3>>("three_threads");
  return models.finish();
}
