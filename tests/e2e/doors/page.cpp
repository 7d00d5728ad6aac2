#include "doors/page.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace doall::doors {
namespace {

constexpr unsigned names_most = 64;
constinit thread_local const char* names[names_most];
constinit thread_local unsigned names_count = 0;

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : -1;
}

int stacks = STDERR_FILENO;

template <class... Arguments>
void say(int to, const char* format, Arguments... arguments) {
  char line[1500];
  const int length = std::snprintf(line, sizeof line, format, arguments...);
  const auto size = static_cast<std::size_t>(length);
  static_cast<void>(!write(to, line, size < sizeof line ? size : sizeof line - 1));
}

// A frame a line: `  file +offset symbol`, for addr2line; the offset is in the call.
void write_stack(int to) {
  char all[1400] = "";
  std::size_t at = 0;
  for (unsigned i = 0; i < names_count && i < names_most && at < sizeof all; ++i) {
    at += static_cast<std::size_t>(std::snprintf(all + at, sizeof all - at, " > %s", names[i]));
  }
  say(to, "thread %d%s\n", gettid(), all);
  constexpr int frames_most = 256;
  void* frames[frames_most];
  const int count = backtrace(frames, frames_most);
  for (int i = 2; i < count; ++i) {  // past this function and the signal's frame, about
    Dl_info where{};
    if (dladdr(frames[i], &where) == 0) continue;
    const auto offset = static_cast<char*>(frames[i]) - static_cast<char*>(where.dli_fbase) - 1;
    say(to, "  %s +0x%lx %s\n", where.dli_fname, static_cast<unsigned long>(offset),
        where.dli_sname != nullptr ? where.dli_sname : "");
  }
  say(to, ".\n");
}

void on_request(int) { write_stack(stacks); }

void on_fault(int signal) {
  say(STDERR_FILENO, "wrong: signal %d (%s)\n", signal, sigabbrev_np(signal));
  write_stack(STDERR_FILENO);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_NODEFER;
  sigaction(signal, &action, nullptr);
}

page* find_page() {
  const int passed_on = number_in(page_variable);
  const int kind = passed_on >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
  void* const at = mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, kind, passed_on, 0);
  if (at == MAP_FAILED) std::abort();
  return passed_on >= 0 ? static_cast<page*>(at) : new (at) page;
}

page* the_page = nullptr;

}  // namespace

page& shared_page() {
  if (the_page == nullptr) the_page = find_page();
  return *the_page;
}

bool is_left_out(const char* name) {
  const char* const text = std::getenv(leave_out_variable);
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == name) return true;
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return false;
}

void fail(const char* what, u64 got, u64 expected) {
  say(STDERR_FILENO, "wrong: %s: %llu, expected %llu (process %d)\n", what,
      static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected), getpid());
  write_stack(STDERR_FILENO);
  _exit(1);
}

void answer_with_stacks() {
  if (const int given = number_in(stacks_variable); given >= 0) stacks = given;
  shared_page();  // before there are threads
  void* one[1];
  backtrace(one, 1);  // loads what it needs now, not in a handler
  handle(SIGSYS, on_request);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // who tell more
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(fault, on_fault);
#endif
}

doing::doing(const char* name) {
  if (names_count < names_most) names[names_count] = name;
  ++names_count;
}
doing::~doing() { --names_count; }

void moved() {
  static std::atomic<unsigned> threads{0};
  constinit thread_local unsigned mine = 0;
  if (mine == 0) mine = 1 + threads.fetch_add(1, std::memory_order_relaxed);
  shared_page().moved[mine % 64].actions.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace doall::doors
