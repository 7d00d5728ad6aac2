// How a loop ends on all ranks: each says which loop it ran and how that ended, and all learn the
// same.
//
// Each call of a loop, and the end of a world, ends in one collective operation of the same form,
// whatever was called: the maxima of a few words. The signature of the call goes in as it is and as
// its complement, so its maximum and its minimum come out; they differ if the calls did. Then all
// ranks exchange what they called in full, and each makes the same message. So a wrong call is
// found at the end of the loop, never by waiting for ever.
//
// The operation does not block: while a rank waits, rank 0 deals.
#pragma once

#include <doall/mpi/c_interface.h>
#include <doall/mpi/errors.hpp>
#include <doall/mpi/peers.hpp>
#include <doall/mpi/pool.hpp>
#include <doall/mpi/shelf.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

enum class call_kind : std::uint32_t { loop, for_each, reduction, end_of_world };

// A call, as ranks compare it: bytes, the unused ones zero.
struct call {
  std::uint64_t number;  // of the world's calls
  std::uint64_t first;
  std::uint64_t iterations;  // that the schedule deals: indices, or blocks of them
  std::uint64_t indices;
  std::uint64_t value_bytes;
  call_kind kind;
  std::uint32_t line;
  std::uint32_t column;
  std::uint32_t costs;
  char between[64];
  char file[96];  // the end of its name

  std::uint64_t signature() const {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    const auto* const bytes = reinterpret_cast<const unsigned char*>(this);
    for (std::size_t i = 0; i < sizeof *this; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
  }
  call_name name() const { return {signature(), number}; }

  std::string in_words() const {
    constexpr const char* names[] = {"parallel_for", "parallel_for_each", "parallel_reduce"};
    if (kind == call_kind::end_of_world) return "ended its world";
    std::string text = std::string("called ") + names[static_cast<unsigned>(kind)];
    if (kind != call_kind::for_each) {
      text += " of " + std::to_string(indices) + " iterations from " +
              std::to_string(static_cast<std::int64_t>(first)) + ", between \"" + between + "\"";
    }
    if (kind == call_kind::reduction) text += ", to " + std::to_string(value_bytes) + " bytes";
    if (costs != 0) text += ", with costs";
    return text + ", at " + file + ":" + std::to_string(line) + ":" + std::to_string(column) +
           " (number " + std::to_string(number) + " of its world)";
  }
};
static_assert(std::has_unique_object_representations_v<call>);

inline call describe(call_kind kind, const char* name, std::uint32_t line, std::uint32_t column) {
  call made{};
  made.kind = kind;
  made.line = line;
  made.column = column;
  const std::size_t length = std::strlen(name);
  const std::size_t most = sizeof made.file - 1;
  std::snprintf(made.file, sizeof made.file, "%s", length > most ? name + length - most : name);
  return made;
}

inline call describe(call_kind kind, const std::source_location& where) {
  return describe(kind, where.file_name(), where.line(), where.column());
}

// How a call ended: here, and then on all ranks. `rank` is the first one of those that failed or,
// if none did, of those that stopped.
struct ending {
  enum how : std::uint32_t { completed, stopped, failed };
  how what = completed;
  int rank = 0;
  std::exception_ptr failure = nullptr;  // this rank's own
};

inline std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

// Looks until `is_done` says so.
template <class IsDone>
void wait_until(IsDone is_done) {
  std::mutex mutex;  // nobody else's: patience wants one
  std::condition_variable never;
  std::unique_lock lock(mutex);
  for (patience waits; !is_done();) waits.wait(lock, never);
}

// Waits for a request of this thread's, whose operation returned `begun`. `serve` is called between
// looks. Throws rank_died if the world is lost.
template <class Serve>
void wait_for(peers& all, int begun, MPI_Request& request, Serve serve) {
  if (all.ok(begun)) {
    wait_until([&] {
      int done = 0;
      if (!all.ok(MPI_Test(&request, &done, MPI_STATUS_IGNORE))) return true;
      if (done == 0) serve();
      return done != 0;
    });
  }
  if (all.lost()) throw rank_died(all.dead());
}

// The operations' results on all ranks. Collective; called once for each call of a world. All throw
// rank_died if the world is lost.
template <class Serve>
class agreement {
 public:
  agreement(peers& all, int rank, int ranks, Serve serve)
      : all_(all), rank_(rank), ranks_(ranks), serve_(serve) {}

  // Whether all ranks made the same call. `end` becomes that of all ranks.
  bool conclude(const call& mine, ending& end) {
    const std::uint64_t signature = mine.signature();
    const auto from_the_end = static_cast<std::uint32_t>(ranks_ - rank_);
    const std::uint64_t what = static_cast<std::uint64_t>(end.what) << 32;
    std::uint64_t said[3] = {signature, ~signature, what | from_the_end};
    MPI_Request request;
    wait_for(all_,
             MPI_Iallreduce(MPI_IN_PLACE, said, 3, MPI_UINT64_T, MPI_MAX, all_.comm(), &request),
             request, serve_);
    end.what = static_cast<ending::how>(said[2] >> 32);
    end.rank = ranks_ - static_cast<int>(said[2] & 0xffffffff);
    return said[0] == ~said[1];
  }

  // After a call on which ranks do not agree: their calls, by rank.
  std::vector<call> calls(const call& mine) {
    std::vector<call> all(static_cast<std::size_t>(ranks_));
    MPI_Request request;
    wait_for(all_,
             MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE,
                            all_.comm(), &request),
             request, serve_);
    return all;
  }

  // After a call that failed on that rank: what it says of it.
  std::string reason(int rank, const std::exception_ptr& mine) {
    char text[512] = "";
    if (rank == rank_) std::snprintf(text, sizeof text, "%s", text_of(mine).c_str());
    MPI_Request request;
    wait_for(all_, MPI_Ibcast(text, sizeof text, MPI_CHAR, rank, all_.comm(), &request), request,
             serve_);
    return text;
  }

 private:
  peers& all_;
  int rank_;
  int ranks_;
  Serve serve_;
};

// Rank 0's call beside the first one that differs from it.
inline std::string words_of_wrong_call(const std::vector<call>& calls) {
  std::size_t other = 1;
  while (other + 1 < calls.size() && calls[other].signature() == calls[0].signature()) ++other;
  return "doall::mpi: ranks made different calls: rank 0 " + calls[0].in_words() + ", and rank " +
         std::to_string(other) + " " + calls[other].in_words() +
         "; expected the same loops in the same order on all ranks; what iterations have done is "
         "not undone";
}

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
