// Where a rank's pool gets its chunks from: the shelf of its node, and what fills the shelf.
//
//   on its dealer's node   the dealer fills it from the desk: whoever of its threads comes by. The
//                          others take, and call no MPI
//   on another node        each rank asks the dealer by messages, ahead, and puts the hand on the
//                          shelf
//
// The dealer is rank 0 or, in a tree, the head of the rank's group (groups.hpp).
//
// A Post carries wishes and hands (messages.hpp; tests have others):
//   void send(const wish&)    once, until receive() has returned the hand
//   bool receive(hand&)       whether the hand has come
//   void stock()              on the dealer: fills the shelf
//
// State: all but the shelf belongs to the pool's fetcher.
#pragma once

#include <doall/mpi/desk.hpp>
#include <doall/mpi/shelf.hpp>

#include <algorithm>
#include <cstdint>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

template <class Post>
class source {
 public:
  struct facts {
    bool near;         // on its dealer's node
    bool from_others;  // takes what its neighbours were dealt
    bool adapts;       // the schedule goes by how long iterations took
    bool is_head;      // a dealer that asks another one for what it deals
  };

  source(Post& post, shelf& on, const call_name& of, facts is)
      : post_(post), on_(on), of_(of), is_(is) {}

  // A fetch calls no MPI.
  bool is_near() const { return is_.near && !is_.is_head; }

  // Gets a chunk. True: `to` is there, with one, or without any as the last hand. `ran` is what the
  // rank's workers have run since the last call.
  bool poll(const measured& ran, bool gives_up, hand& to) {
    if (gives_up) on_.give_up(of_);
    if (!is_.near) ask(ran, gives_up, true);
    shelf::found got = on_.take(of_, is_.from_others, is_.near ? ran : measured{}, to.chunk[0]);
    // Who has given the loop up leaves when its dealer knows.
    if (is_.near && !got.chunk && (gives_up ? !got.told : !got.last)) {
      post_.stock();
      got = on_.take(of_, is_.from_others, {}, to.chunk[0]);
    }
    if (is_.near && gives_up) got.last = got.told;
    to.chunks = got.chunk ? 1 : 0;
    to.what = hand::more;
    in_row_ = got.left;
    if (got.chunk) {
      adapt();
      return true;
    }
    if (!is_.near) {
      starved_ = true;
      got.last = last_ && !asked_;
      got.wrong_call = got.last && wrong_call_;
    }
    to.what = got.wrong_call ? hand::wrong_call : hand::last;
    return got.wrong_call || got.last;
  }

  // Puts a hand that has come on the shelf, and asks for another if there is little there.
  void look_ahead(const measured& ran, bool gives_up) { ask(ran, gives_up, false); }
  bool may_look_ahead() const { return !is_.near && (asked_ || asks(false)); }

 private:
  // Whether another wish is due. A hand without a chunk says that the rank is to ask when it needs
  // one: when a worker is `hungry`.
  bool asks(bool hungry) const { return !last_ && in_row_ <= wanted_ / 2 && (hungry || !refused_); }

  // `looks`: the pool has nothing for a worker.
  void ask(const measured& ran, bool gives_up, bool looks) {
    ran_.iterations += ran.iterations;
    ran_.elapsed_ns += ran.elapsed_ns;
    hand given;
    if (asked_ && post_.receive(given)) {
      asked_ = false;
      last_ = given.what != hand::more;
      wrong_call_ = given.what == hand::wrong_call;
      in_row_ += given.chunks;
      refused_ = given.chunks == 0;
      on_.put(of_, given);
    }
    const bool tells = gives_up && !told_;
    const bool hungry = looks && in_row_ == 0;
    if (asked_ || (!tells && !asks(hungry))) return;
    post_.send({.loop = of_.signature,
                .iterations_run = ran_.iterations,
                .elapsed_ns = ran_.elapsed_ns,
                .chunks = is_.adapts ? 1 : wanted_,
                .gives_up = static_cast<std::uint16_t>(gives_up ? 1 : 0),
                .hungry = static_cast<std::uint16_t>(hungry ? 1 : 0)});
    ran_ = {};
    asked_ = true;
    told_ = gives_up;
  }

  // How many chunks to ask for at once: twice as many whenever a chunk other than the first came
  // too late, one fewer after a while in which none did.
  void adapt() {
    constexpr std::uint32_t while_chunks = 16;
    if (starved_ && chunks_ != 0) {
      wanted_ = std::min(2 * wanted_, most_chunks);
    } else if (++chunks_ % while_chunks == 0 && wanted_ > 1) {
      --wanted_;
    }
    starved_ = false;
  }

  Post& post_;
  shelf& on_;
  const call_name of_;
  const facts is_;
  measured ran_;              // since the last wish, by all workers
  std::uint32_t wanted_ = 1;  // chunks a wish
  std::uint32_t in_row_ = 0;  // of this rank's, when it looked last: neighbours take them, too
  std::uint32_t chunks_ = 0;  // that have come
  bool asked_ = false;        // and the hand has not come yet
  bool refused_ = false;      // the last hand had no chunk
  bool last_ = false;
  bool told_ = false;  // that the loop is given up
  bool wrong_call_ = false;
  bool starved_ = false;  // since the last chunk, a look has found none
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
