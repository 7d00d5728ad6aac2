// Flush, cancellation, the error directive, and omp_control_tool().
#include "omp/cancellation.hpp"
#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp::ompt {
namespace {

// What omp_control_tool() returns by itself.
enum control_result : int { no_tool = -2, no_callback = -1 };

int flags_of(int construct) {
  switch (static_cast<cancelled_construct>(construct)) {
    case cancelled_construct::parallel: return ompt_cancel_parallel;
    case cancelled_construct::loop: return ompt_cancel_loop;
    case cancelled_construct::sections: return ompt_cancel_sections;
    case cancelled_construct::taskgroup: break;
  }
  return ompt_cancel_taskgroup;
}

int control(std::uint64_t command, std::uint64_t modifier, void* argument, const call& from) {
  thread_record* const me = is_watched() ? observed() : nullptr;
  if (me == nullptr) return no_tool;
  const auto function = callback_of<ompt_callback_control_tool_t>(ompt_callback_control_tool);
  if (function == nullptr) return no_callback;
  const call outside = call_from_outside(from);
  const inside_runtime inside(*me, outside);
  ++me->telling;
  const int result = function(command, modifier, argument, outside.code);
  --me->telling;
  return result;
}

}  // namespace

void watched_flush(const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  tell<ompt_callback_flush_t>(*me, ompt_callback_flush, &me->data, call_from_outside(from).code);
}

void watched_cancel(int construct, ompt_cancel_flag_t how) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  tell<ompt_callback_cancel_t>(*me, ompt_callback_cancel, &me->current->data,
                               flags_of(construct) | static_cast<int>(how),
                               call_from_outside().code);
}

void watched_error(ompt_severity_t severity, const char* message, std::size_t length) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  tell<ompt_callback_error_t>(*me, ompt_callback_error, severity, message, length,
                              call_from_outside().code);
}

}  // namespace doall::omp::ompt

using namespace doall::omp;

extern "C" {

int omp_control_tool(int command, int modifier, void* argument) {
  return ompt::control(static_cast<std::uint64_t>(command), static_cast<std::uint64_t>(modifier),
                       argument, ompt::here());
}
int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return ompt::control(static_cast<std::uint64_t>(*command), static_cast<std::uint64_t>(*modifier),
                       argument, ompt::here());
}

}  // extern "C"
