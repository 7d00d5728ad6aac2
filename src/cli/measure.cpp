#include "cli/measure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <deque>
#include <fstream>

#include "base/clock.hpp"
#include "process/temp_folder.hpp"

namespace doall::cli {
namespace {

// A nameless file that takes a program's output, whatever its length.
class capture {
 public:
  int descriptor() const { return fileno(file_.get()); }

  std::string text() const {
    std::string all;
    char part[65536];
    std::rewind(file_.get());
    while (const std::size_t size = std::fread(part, 1, sizeof part, file_.get())) {
      all.append(part, size);
    }
    return all;
  }

 private:
  nameless_file file_ = make_nameless_file();
};

class empty_input {
 public:
  empty_input() : descriptor_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {}
  ~empty_input() { close(descriptor_); }
  empty_input(const empty_input&) = delete;
  empty_input& operator=(const empty_input&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

}  // namespace

namespace {

// What the line "NAME: number" or "NAME=number" says; nothing if it is another line, or the number
// is infinite or none.
std::optional<double> metric_in(std::string_view line, std::string_view name) {
  line = without_blanks(line);
  if (!line.starts_with(name)) return std::nullopt;
  line = without_blanks(line.substr(name.size()));
  if (!line.starts_with(':') && !line.starts_with('=')) return std::nullopt;
  line = without_blanks(line.substr(1));
  double value = 0;
  const auto [rest, status] = std::from_chars(line.data(), line.data() + line.size(), value);
  return status == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// Takes the first line, without its end, from `text`.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

// Without the lines that have the metric: they differ from run to run.
std::uint64_t hash_of_answer(std::string_view printed, const std::string& metric) {
  if (metric.empty()) return hash_of(printed);
  std::uint64_t hash = no_text_hashed;
  while (!printed.empty()) {
    const std::string_view line = take_line(printed);
    if (!metric_in(line, metric)) hash = hash_of("\n", hash_of(line, hash));
  }
  return hash;
}

std::uint64_t hash_of_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::uint64_t hash = no_text_hashed;
  std::string part(1 << 20, '\0');
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())) || in.gcount() > 0)
    hash = hash_of({part.data(), static_cast<std::size_t>(in.gcount())}, hash);
  return hash;
}

// A file that a run is to write. Its time of change is set back before the run, and again the old
// one after a run that has not written it.
class awaited_file {
 public:
  explicit awaited_file(const std::string& name) : name_(name) {
    struct stat before{};
    if (stat(name_.c_str(), &before) != 0) return;
    if (!S_ISREG(before.st_mode)) {
      throw failure(bad_usage, fmt::format("--output={} is no regular file, expected one that the "
                                           "program writes; nothing was run",
                                           name_));
    }
    was_changed_ = before.st_mtim;
    is_set_back_ = set_time(long_ago);
    if (!is_set_back_) was_changed_.reset();
  }
  ~awaited_file() {
    if (is_set_back_ && !is_written()) set_time(*was_changed_);
  }
  awaited_file(const awaited_file&) = delete;
  awaited_file& operator=(const awaited_file&) = delete;

  bool is_written() const {
    struct stat now{};
    if (stat(name_.c_str(), &now) != 0) return false;
    return !is_set_back_ || now.st_mtim.tv_sec != long_ago.tv_sec ||
           now.st_mtim.tv_nsec != long_ago.tv_nsec;
  }

 private:
  static constexpr timespec long_ago{1, 0};

  bool set_time(const timespec& changed) const {
    const timespec times[] = {{0, UTIME_OMIT}, changed};
    return utimensat(AT_FDCWD, name_.c_str(), times, 0) == 0;
  }

  std::string name_;
  std::optional<timespec> was_changed_;
  bool is_set_back_ = false;  // it was there, and is this user's
};

}  // namespace

std::optional<double> find_metric(std::string_view text, std::string_view name) {
  std::optional<double> last;
  while (!text.empty()) {
    if (const auto value = metric_in(take_line(text), name)) last = value;
  }
  return last;
}

std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  constexpr std::uint64_t prime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return hash;
}

measurer::measurer(launch program, std::string metric, std::vector<std::string> files)
    : program_(std::move(program)), metric_(std::move(metric)), files_(std::move(files)) {}

measured measurer::run(const environment_changes& environment, const std::string& label) {
  const empty_input input;
  const capture output;
  const capture errors;
  launch what = program_;
  what.environment = environment;
  what.input = input.descriptor();
  what.output = output.descriptor();
  what.errors = errors.descriptor();

  std::deque<awaited_file> awaited;
  for (const std::string& file : files_) awaited.emplace_back(file);
  const std::uint64_t began_ns = base::now_ns();
  const outcome end = supervisor_.run(what);
  const auto elapsed_ns = static_cast<double>(base::now_ns() - began_ns);

  if (end.interrupted_by != 0) throw interrupted{end.interrupted_by};
  const auto fail = [&](const std::string& why) {
    return failure(failed,
                   fmt::format("{} under {} {}; what it printed:\n{}{}", program_.command.front(),
                               label, why, output.text(), errors.text()));
  };
  if (!end.succeeded()) throw fail(describe_end(end.wait_status));
  const std::string printed = output.text();
  measured found{elapsed_ns * 1e-9, {hash_of_answer(printed, metric_)}};
  for (std::size_t f = 0; f < files_.size(); ++f) {
    if (!awaited[f].is_written())
      throw fail(fmt::format("did not write {}, which --output names", files_[f]));
    found.answers.push_back(hash_of_file(files_[f]));
  }
  if (metric_.empty()) return found;
  const auto value = find_metric(printed, metric_);
  if (!value) {
    throw fail(fmt::format("printed no line \"{}: NUMBER\" on standard output", metric_));
  }
  found.sample = *value;
  return found;
}

}  // namespace doall::cli
