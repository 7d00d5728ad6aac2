// A terminal's screen, for a text that is drawn again and again, and its keys.
//
// Five control sequences of ECMA-48 and xterm, which every terminal of today knows, are all that
// this needs; a library would bring a database of terminals that bare systems and wheels lack.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>

namespace doall::cli {

class screen {
 public:
  screen();   // not entered yet
  ~screen();  // leaves it
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  // Whether standard output is a terminal.
  static bool is_there();

  // Takes the whole window; keys come one by one and are not shown. Ctrl-C and Ctrl-Z stay signals.
  void enter();
  // Brings back what the window showed, and the terminal's settings.
  void leave();
  bool is_entered() const { return entered_; }

  // Lines beyond the window's are not shown, nor are their ends.
  void draw(const std::string& text) const;

  struct extent {
    std::size_t columns;
    std::size_t lines;
  };
  static extent size();

  // The descriptor that keys come from; -1: there is none.
  int keys() const { return keys_; }
  // A key that was pressed; 0: there is none.
  char key() const;

 private:
  int keys_;
  bool entered_ = false;
  bool has_settings_ = false;
  termios before_{};
};

}  // namespace doall::cli
