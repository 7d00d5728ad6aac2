// Lets `doall top` look at a running program: the program answers when it is asked, and only then.
//
// The command names a folder in DOALL_LIVE_FOLDER. A process that counts its loops makes a file
// page.<pid> there and maps it. Whoever watches writes a new number into the page. The thread that
// next ends a loop or region sees it, and writes the report as it is then to answer.<pid>, which it
// renames into place, so that nobody reads half of one. No signal, thread or lock of its own.
//
// Cost where nobody watches: one load for each loop that is counted, of memory that nobody writes.
// A program that is in one loop for a minute answers after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/sync.hpp"

namespace doall::observe {

inline constexpr const char* live_folder_variable = "DOALL_LIVE_FOLDER";

// The page, as its file has it. The process only reads it once it is mapped: a write would be a
// SIGBUS where the disk is full.
struct live_question {
  sync::atomic<std::uint64_t> asked{0};  // raised by watchers
  std::uint64_t made_ns = 0;             // when the process made it, since 1970
};
static_assert(sizeof(live_question) == 2 * sizeof(std::uint64_t));

class live_page {
 public:
  // Makes the page there, and maps it; "", or a folder that cannot be written: there is none.
  explicit live_page(std::string folder);
  ~live_page();
  live_page(const live_page&) = delete;
  live_page& operator=(const live_page&) = delete;

  bool is_open() const { return page_ != nullptr; }

  // In the child of a fork: the page is the parent's, and it makes one of its own.
  void begin_anew();

  // The number of a question that no thread has taken; the caller is to answer it. Any thread.
  std::optional<std::uint64_t> take_question() {
    if (page_ == nullptr) return std::nullopt;
    // (1) relaxed; alone: a number of another process; nothing else is communicated
    const std::uint64_t asked = page_->asked.load(sync::relaxed);
    // (2) relaxed; alone: which thread takes it is decided by (3)
    std::uint64_t taken = taken_.load(sync::relaxed);
    if (asked == taken) [[likely]]
      return std::nullopt;
    // (3) relaxed; alone: one thread changes it; the report has locks of its own
    // (4) relaxed; alone: another thread took it
    const bool mine = taken_.compare_exchange_strong(taken, asked, sync::relaxed, sync::relaxed);
    return mine ? std::optional(asked) : std::nullopt;
  }

  // A new file for the answer to that question; put_in_place() makes it the answer.
  std::string file_for(std::uint64_t question) const;
  void put_in_place(const std::string& file) const;

  // Takes the files away, when the process ends. Questions are no longer seen by anyone new.
  void remove_files() const;

 private:
  void make();

  std::string folder_;
  std::string path_;    // of the page's file
  std::string answer_;  // and of the answer's
  const live_question* page_ = nullptr;
  sync::atomic<std::uint64_t> taken_{0};
};

}  // namespace doall::observe
