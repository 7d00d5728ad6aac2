// omp_set_schedule and omp_get_schedule: the run-sched-var of the caller's task.
#include "base/env.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"

using namespace doall;

extern "C" {

void omp_set_schedule(std::uint32_t kind, int chunk) {
  omp::icvs& settings = omp::self().change_settings();
  if (omp::set_schedule_by_kind(settings, kind, chunk)) return;
  base::warn_once("omp_set_schedule(" + std::to_string(kind) +
                  "): expected one of omp_sched_t, or of doall's own numbers from " +
                  std::to_string(omp::first_own_kind) + "; " + omp::schedule_as_text(settings) +
                  " stays");
}

void omp_get_schedule(std::uint32_t* kind, int* chunk) {
  const omp::kind_and_chunk now = omp::schedule_as_kind(omp::self().settings());
  *kind = now.kind;
  *chunk = now.chunk;
}

}  // extern "C"
