// The process's tool: how it is found, started and ended, and how its callbacks are called.
#pragma once

#include <array>

#include "base/sync.hpp"
#include "doall/omp-tools.h"
#include "omp/ompt/phase.hpp"
#include "omp/ompt/records.hpp"

namespace doall::omp::ompt {

// By event. Null: the tool does not want to know.
inline constexpr std::size_t most_events = 64;
extern constinit std::array<sync::atomic<ompt_callback_t>, most_events> callbacks;

template <class Callback>
Callback callback_of(ompt_callbacks_t event) {
  // (1) acquire; pairs with entry_points (1): what the tool wrote before it registered it
  return reinterpret_cast<Callback>(callbacks[event].load(sync::acquire));
}

// Calls the tool's function for the event.
template <class Callback, class... Arguments>
void tell(thread_record& me, ompt_callbacks_t event, Arguments... arguments) {
  const auto function = callback_of<Callback>(event);
  if (function == nullptr) return;
  ++me.telling;
  function(arguments...);
  --me.telling;
}

// Whether a tool is used. The first call in the process starts it; other threads wait meanwhile.
// The tool's initialize() may come here: the answer is no.
bool has_tool();

// Ends the tool: tells it of the ends of the threads that end with it, and calls its finalize().
void finalize();

// Finds a tool that wants to be used, as the variables say (search.cpp). Null: there is none.
ompt_start_tool_result_t* find_tool();
// Whether it is worth trying. Called while the library is loaded.
bool may_find_tool();
// Writes a line where OMP_TOOL_VERBOSE_INIT says.
void note_start(const char* text);

// Looks up an entry point by its name (entry_points.cpp).
ompt_interface_fn_t look_up(const char* name);

}  // namespace doall::omp::ompt
