// doall top: what a running program's loops do, each second, in the window or as text.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "process/child.hpp"
#include "process/options.hpp"
#include "process/say.hpp"
#include "process/served.hpp"
#include "process/temp_folder.hpp"
#include "report/live.hpp"
#include "report/live_text.hpp"
#include "report/report.hpp"
#include "text/terminal.hpp"

namespace doall::cli {
namespace {

constexpr const char* top_examples =
    R"(In a terminal it takes the whole window: q leaves it and the program goes on, as under
'doall run'; Ctrl-C ends the program. What the program prints is shown afterwards, and it reads
nothing from the terminal. Into a pipe or file it writes a block of text each second. When the
program has ended, the report of the whole run is printed.

time: the part of the last second that was spent in the loop; all time: since the beginning;
efficiency, imbalance: of the last second, as 'doall run --report' has them. A program answers as
a loop or region ends: one that is in a long loop has no news.

--pid: a program that runs under 'doall run --report' or another 'doall top'. q and Ctrl-C leave it
alone.

Examples:
  doall top -- ./app input.dat
  doall top --schedule=guided --threads=8 ./app
  doall top --pid 1234)";

// From asking to reading the answers. A later one is read a second later.
constexpr int answer_ms = 100;
constexpr int second_ms = 1000;

// On standard output. If it cannot be written, since nobody reads it any more, the program goes on.
void print_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The program's output while the window is taken.
class kept_output {
 public:
  int descriptor() const { return fileno(file_.get()); }

  // Writes what has come since to standard output.
  void show() {
    char part[65536];
    for (;;) {
      const ssize_t size = pread(descriptor(), part, sizeof part, shown_);
      if (size <= 0) break;
      shown_ += size;
      std::fwrite(part, 1, static_cast<std::size_t>(size), stdout);
    }
    std::fflush(stdout);
  }

 private:
  nameless_file file_ = make_nameless_file();
  off_t shown_ = 0;
};

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() {
    if (number_ >= 0) close(number_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  operator int() const { return number_; }

 private:
  int number_;
};

// Shows processes until one of these.
enum class end_of_view { program, key, signal };

class view {
 public:
  view(supervisor& guard, live_watch& watch, kept_output* output)
      : guard_(guard), watch_(watch), output_(output) {
    if (screen::is_there()) window_.enter();
  }

  // `pid`: a process that is not the supervisor's child, or 0.
  end_of_view run(pid_t pid);

  // After it has left the window: until the program ends.
  void wait();

  void leave() { window_.leave(); }

 private:
  // Waits for signals and keys, until the time on the clock. Returns how the view ends, if it does.
  std::optional<end_of_view> wait_until(std::uint64_t until_ns);
  std::optional<end_of_view> take_signal();
  std::optional<end_of_view> take_keys();
  void show();

  supervisor& guard_;
  live_watch& watch_;
  kept_output* output_;
  screen window_;
  descriptor signals_{signalfd(-1, &guard_.watched(), SFD_CLOEXEC)};
  live_form form_;
};

void view::show() {
  form_.has_keys = window_.is_entered();
  if (!form_.has_keys) {
    print_out(live_text(watch_.processes(), form_) + '\n');
    return;
  }
  const screen::extent size = screen::size();
  form_.columns = size.columns;
  form_.lines = size.lines;
  window_.draw(live_text(watch_.processes(), form_));
}

std::optional<end_of_view> view::take_signal() {
  const bool was_entered = window_.is_entered();
  switch (guard_.take_signal()) {
    case supervisor::event::ended: return end_of_view::program;
    case supervisor::event::stopped:
      window_.leave();
      raise(SIGSTOP);
      if (was_entered) window_.enter();
      break;
    case supervisor::event::other: break;
  }
  if (guard_.result().interrupted_by != 0) return end_of_view::signal;
  if (was_entered) show();  // the window may have another size
  return std::nullopt;
}

std::optional<end_of_view> view::take_keys() {
  while (const char key = window_.key()) {
    if (key == 'q') return end_of_view::key;
    const bool is_order =
        std::ranges::any_of(live_orders, [&](const live_order& o) { return o.key == key; });
    if (is_order) form_.order = key;
    show();
  }
  return std::nullopt;
}

std::optional<end_of_view> view::wait_until(std::uint64_t until_ns) {
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  for (;;) {
    const std::uint64_t now_ns = base::now_ns();
    if (now_ns >= until_ns) return std::nullopt;
    pollfd sources[] = {{signals_, POLLIN, 0},
                        {window_.is_entered() ? window_.keys() : -1, POLLIN, 0}};
    const auto left_ms = static_cast<int>((until_ns - now_ns) / ns_per_ms + 1);
    if (poll(sources, std::size(sources), left_ms) <= 0) continue;
    if (sources[0].revents != 0) {
      if (const auto end = take_signal()) return end;
    }
    if ((sources[1].revents & (POLLHUP | POLLERR)) != 0) return end_of_view::signal;
    if (sources[1].revents != 0) {
      if (const auto end = take_keys()) return end;
    }
  }
}

end_of_view view::run(pid_t pid) {
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  std::uint64_t at_ns = base::now_ns();
  for (;;) {
    watch_.ask();
    if (const auto end = wait_until(at_ns + answer_ms * ns_per_ms)) return *end;
    watch_.read();
    if (pid != 0 && !is_alive(pid)) return end_of_view::program;
    show();
    at_ns = std::max(at_ns + second_ms * ns_per_ms, base::now_ns());
    if (const auto end = wait_until(at_ns)) return *end;
  }
}

void view::wait() {
  constexpr int step_ms = 100;
  for (bool ended = false; !ended;) {
    pollfd signals{signals_, POLLIN, 0};
    if (poll(&signals, 1, step_ms) > 0) {
      switch (guard_.take_signal()) {
        case supervisor::event::ended: ended = true; break;
        case supervisor::event::stopped: raise(SIGSTOP); break;
        case supervisor::event::other: break;
      }
    }
    if (output_ != nullptr) output_->show();
  }
}

int look_at(const std::string& text) {
  const auto pid = base::parse_number(text, 1, std::uint64_t{1} << 22);
  if (!pid) {
    throw failure(bad_usage,
                  fmt::format("bad process \"{}\", expected a number from 1 to 4194304", text));
  }
  const auto process = static_cast<pid_t>(*pid);
  const std::filesystem::path folder = live_folder_of(process);
  supervisor guard;
  end_of_view how{};
  {
    live_watch watch(folder, process);
    view shown(guard, watch, nullptr);
    how = shown.run(process);
  }
  if (how == end_of_view::program) fmt::print("process {} has ended\n", process);
  if (guard.result().interrupted_by != 0) throw interrupted{guard.result().interrupted_by};
  return succeeded;
}

// Runs the program and ends as it ends.
[[noreturn]] void run_shown(launch what, const program_file& program, runtime_settings settings) {
  const std::filesystem::path library = preload_library();
  int wait_status = 0;
  {
    supervisor guard;  // before the folders: a pending signal ends the command after they are gone
    std::optional<temp_folder> reports;
    std::optional<temp_folder> live;
    std::optional<kept_output> output;
    const bool is_shown = could_make("view", [&] {
      settings.report_folder = reports.emplace().path();
      settings.live_folder = live.emplace().path();
      if (screen::is_there()) output.emplace();
    });
    if (!is_shown) settings.report_folder.clear();
    served_file marks;
    what.environment = on_doall(library, settings);
    marks.prepare(what.environment);
    const descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (output) {
      what.output = output->descriptor();
      if (isatty(STDERR_FILENO) != 0) what.errors = output->descriptor();
      if (isatty(STDIN_FILENO) != 0) what.input = nothing;
    }
    if (!is_shown) {
      guard.run(what);
    } else {
      guard.start(what);
      live_watch watch(live->path());
      view shown(guard, watch, output ? &*output : nullptr);
      const end_of_view how = shown.run(0);
      shown.leave();
      if (how == end_of_view::key) say("doall: {} goes on; Ctrl-C ends it\n", what.command.front());
      if (how != end_of_view::program) shown.wait();
    }
    if (output) output->show();
    wait_status = guard.result().wait_status;
    if (!marks.served()) {
      const std::string why = marks.unserved_text(what.command.front(), program, guard.result());
      if (!why.empty()) say("doall: {}\n", why);
    }
    const auto left = is_shown ? gather_reports(reports->path()) : std::vector<observe::report>();
    if (!left.empty()) print_out(report_table(left, {.lost_processes = marks.ended().unseen}));
  }
  end_as(wait_status);
}

}  // namespace

int top_command(const arguments& args) {
  option_parser options("top", "[OPTIONS] [--] PROGRAM [ARGS...]",
                        "Runs a program on doall, or looks at one that runs (--pid), and shows "
                        "each second what its loops do.",
                        top_examples);
  std::string pid;
  const steering_options steering(options);
  options.add_option("--pid", pid, "looks at this process; no PROGRAM then").shown_as("PID");
  const bool has_pid = !args.empty() && args.front().starts_with("--pid");
  launch what;
  if (has_pid) return options.read(args) ? look_at(pid) : succeeded;
  if (!options.read(args, what.command)) return succeeded;
  if (options.has("--pid")) {
    throw failure(bad_usage, fmt::format("--pid and the program {}, expected one of the two",
                                         what.command.front()));
  }
  runtime_settings settings = steering.settings();
  what.file = find_program(what.command.front());
  const program_file program = inspect_program(what.file);
  require_preloadable(program);
  fit_to(program, settings);
  run_shown(std::move(what), program, std::move(settings));
}

}  // namespace doall::cli
