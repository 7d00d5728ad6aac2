#include "observe/served.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace doall::observe {
namespace {

// Whether this process has left the mark.
sync::atomic<bool> has_served{false};

// One write, so that lines of several processes do not mix. If the file is gone, so is its reader.
void append(const std::string& line) {
  const char* path = std::getenv(served_file_variable);
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = write(file, line.data(), line.size());
  close(file);
}

std::string_view folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

// Also "libgomp-a34b3233.so.1.0.0" and the like, as Python's wheels rename it.
bool is_openmp_runtime(std::string_view path) {
  const std::string_view file = path.substr(folder_of(path).size());
  for (const std::string_view name :
       {"/libgomp.so", "/libgomp-", "/libomp.so", "/libomp-", "/libiomp5.so", "/libiomp5-"}) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

// Appends the OpenMP runtimes that are mapped and not doall's, which lie in a folder of their own.
int append_other_runtime(dl_phdr_info* module, std::size_t, void*) {
  const std::string_view path = module->dlpi_name;
  if (is_openmp_runtime(path) && path.find("/doall/omp/") == path.npos) {
    append("runtime " + std::string(path) + "\n");
  }
  return 0;
}

[[gnu::constructor]] void note_loading() { append("loaded\n"); }

[[gnu::destructor]] void note_end() {
  // (1) relaxed; alone: the process is ending
  const bool served = has_served.load(sync::relaxed);
  if (!served && std::getenv(served_file_variable) != nullptr) {
    dl_iterate_phdr(append_other_runtime, nullptr);
  }
}

}  // namespace

void leave_served_mark() {
  // (2) relaxed; alone: as (1)
  has_served.store(true, sync::relaxed);
  append("served\n");
}

}  // namespace doall::observe
