#include "text/terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

namespace doall::cli {
namespace {

// The other screen, its cursor hidden, lines not wrapped; and back.
constexpr std::string_view enter_sequence = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr std::string_view leave_sequence = "\033[?7h\033[?25h\033[?1049l";

void send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = write(STDOUT_FILENO, text.data(), text.size());
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

bool screen::is_there() { return isatty(STDOUT_FILENO) != 0; }

screen::screen() : keys_(open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC)) {}

screen::~screen() {
  leave();
  if (keys_ >= 0) close(keys_);
}

void screen::enter() {
  if (entered_) return;
  entered_ = true;
  has_settings_ = keys_ >= 0 && tcgetattr(keys_, &before_) == 0;
  if (has_settings_) {
    termios settings = before_;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(keys_, TCSANOW, &settings);
  }
  send(enter_sequence);
}

void screen::leave() {
  if (!entered_) return;
  entered_ = false;
  send(leave_sequence);
  // What was typed meanwhile is dropped: it was not meant for the shell.
  if (has_settings_) tcsetattr(keys_, TCSAFLUSH, &before_);
}

void screen::draw(const std::string& text) const {
  std::size_t left = size().lines;
  std::string all = "\033[H";
  for (std::string_view rest = text; !rest.empty() && left > 0; --left) {
    const auto end = rest.find('\n');
    all += std::string(rest.substr(0, end)) + "\033[K";
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (!rest.empty() && left > 1) all += "\r\n";
  }
  send(all + "\033[J");
}

screen::extent screen::size() {
  winsize window{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  if (!known) return {80, 24};
  return {window.ws_col, window.ws_row};
}

char screen::key() const {
  char pressed = 0;
  return keys_ >= 0 && read(keys_, &pressed, 1) == 1 ? pressed : '\0';
}

}  // namespace doall::cli
