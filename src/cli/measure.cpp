#include "cli/measure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/clock.hpp"

namespace doall::cli {
namespace {

// A nameless file that takes a program's output, whatever its length.
class capture {
 public:
  capture() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) {
      throw failure(failed, fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
    }
  }

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
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
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

std::optional<double> find_metric(std::string_view text, std::string_view name) {
  std::optional<double> last;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = without_blanks(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (!line.starts_with(name)) continue;
    line = without_blanks(line.substr(name.size()));
    if (!line.starts_with(':') && !line.starts_with('=')) continue;
    line = without_blanks(line.substr(1));
    double value = 0;
    const auto [rest, status] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (status == std::errc{}) last = value;
  }
  return last;
}

measurer::measurer(launch program, std::string metric)
    : program_(std::move(program)), metric_(std::move(metric)) {}

double measurer::run(const environment_changes& environment, const std::string& label) {
  const empty_input input;
  const capture output;
  const capture errors;
  launch what = program_;
  what.environment = environment;
  what.input = input.descriptor();
  what.output = output.descriptor();
  what.errors = errors.descriptor();

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
  if (metric_.empty()) return elapsed_ns * 1e-9;
  const auto value = find_metric(output.text(), metric_);
  if (!value) {
    throw fail(fmt::format("printed no line \"{}: NUMBER\" on standard output", metric_));
  }
  return *value;
}

}  // namespace doall::cli
