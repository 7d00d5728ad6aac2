// Where a group's desk gets its blocks from: the desk that deals to groups, on rank 0.
//
// A tree of dealers, for jobs of more nodes than one rank can deal to: the nodes are cut into
// groups, and a rank of each group, its *head*, has a desk for its ranks. Blocks are dealt to
// groups by affinity, half of a group's own part at a time, so a group has an even part of the loop
// as long as all groups are equally quick, and steals from others at its end. Chunks of a block are
// dealt to the group's ranks by the loop's own schedule between ranks. A head asks ahead, so that
// its ranks do not wait.
//
// A Post carries wishes and hands, as in source.hpp:
//   void send(const wish&)    once, until receive() has returned the hand
//   bool receive(hand&)       whether the hand has come
//
// One thread at a time. Cost: for each block a message each way, and a dealer (parts.hpp).
#pragma once

#include <doall/abi.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/hands.hpp>

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// How blocks are dealt to groups: in the order of the loop's own schedule between ranks.
inline doall_schedule between_groups(const doall_schedule& between) {
  doall_schedule made{};
  doall_schedule_parse("affinity,k=2", &made, nullptr, 0);
  made.order = between.order;
  return made;
}

template <class Post>
class supply {
 public:
  supply(Post& post, desk& to, std::uint64_t signature)
      : post_(post), to_(to), signature_(signature) {}

  // Takes a block that has come, and asks for one if it is time to.
  void look(std::uint64_t now_ns) {
    hand given;
    for (;;) {
      if (asked_) {
        if (!post_.receive(given)) return;
        asked_ = false;
        to_.take(given);
      }
      wish of{.loop = signature_};
      if (!to_.asks(now_ns, of)) return;
      post_.send(of);
      asked_ = true;
    }
  }

 private:
  Post& post_;
  desk& to_;
  const std::uint64_t signature_;
  bool asked_ = false;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
