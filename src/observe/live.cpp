#include "observe/live.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <utility>

#include "base/own_file.hpp"
#include "observe/report_path.hpp"

namespace doall::observe {

live_page::live_page(std::string folder) : folder_(std::move(folder)) { make(); }

live_page::~live_page() {
  if (page_ != nullptr) munmap(const_cast<live_question*>(page_), sizeof(live_question));
  remove_files();
}

void live_page::make() {
  if (folder_.empty()) return;
  const std::string name = new_file_in(folder_, "page");
  const int file = base::open_own_file(name.c_str(), O_RDWR);
  if (file < 0) return;
  path_ = name;
  answer_ = folder_ + "/answer" + name.substr(folder_.size() + sizeof "/page" - 1);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  const std::uint64_t contents[] = {0, static_cast<std::uint64_t>(now.tv_sec) * ns_per_s +
                                           static_cast<std::uint64_t>(now.tv_nsec)};
  if (write(file, contents, sizeof contents) == sizeof contents) {
    void* const page = mmap(nullptr, sizeof contents, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) page_ = static_cast<const live_question*>(page);
  }
  close(file);
  if (page_ == nullptr) remove_files();
}

void live_page::begin_anew() {
  if (page_ != nullptr) munmap(const_cast<live_question*>(page_), sizeof(live_question));
  page_ = nullptr;
  path_.clear();
  answer_.clear();
  // (5) relaxed; alone: the child of a fork has one thread
  taken_.store(0, sync::relaxed);
  make();
}

std::string live_page::file_for(std::uint64_t question) const {
  return answer_ + ".new." + std::to_string(question);
}

void live_page::put_in_place(const std::string& file) const {
  if (std::rename(file.c_str(), answer_.c_str()) != 0) unlink(file.c_str());
}

void live_page::remove_files() const {
  if (path_.empty()) return;
  unlink(path_.c_str());
  unlink(answer_.c_str());
}

}  // namespace doall::observe
