// The schedules whose workers share something: every iteration is dealt exactly
// once (exactly_once.hpp).
#include "exactly_once.hpp"
#include "schedule/adaptive_guided.hpp"
#include "schedule/affinity.hpp"
#include "schedule/auto.hpp"
#include "schedule/dynamic.hpp"
#include "schedule/factoring.hpp"
#include "schedule/guided.hpp"
#include "schedule/mod_factoring.hpp"
#include "schedule/static_steal.hpp"
#include "schedule/trapezoid.hpp"

namespace {

using namespace doall::schedules;
using doall::model::exactly_once;
using doall::model::loop;

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<exactly_once<dynamic, 3, loop{4}>>("dynamic_3");
  models.run<exactly_once<dynamic, 2, loop{5, params::of_first(2)}>>("dynamic_2_chunk_2");
  models.run<exactly_once<guided, 3, loop{6}>>("guided_3");
  models.run<exactly_once<guided, 2, loop{5, params::of(guided::options{.k = 2})}>>("guided_2_k_2");
  models.run<exactly_once<trapezoid, 3, loop{6}>>("trapezoid_3");
  models.run<exactly_once<affinity, 2, loop{5}>>("affinity_2");
  models.run<exactly_once<affinity, 3, loop{5}>>("affinity_3");
  models.run<exactly_once<affinity, 2, loop{4, params::of_first(1)}>>("affinity_2_k_1");
  models.run<exactly_once<affinity, 3, loop{6, params::of_first(3)}>>("affinity_3_k_3");
  models.run<exactly_once<affinity, 3, loop{5, {}, 1}>>("affinity_3_one_absent");
  models.run<exactly_once<factoring, 3, loop{7}>>("factoring_3");
  models.run<exactly_once<mod_factoring, 2, loop{5}>>("mod_factoring_2");
  models.run<exactly_once<mod_factoring, 2, loop{8}>>("mod_factoring_2_long");
  models.run<exactly_once<mod_factoring, 3, loop{7}>>("mod_factoring_3");
  models.run<exactly_once<mod_factoring, 3, loop{5, {}, 1}>>("mod_factoring_3_one_absent");
  models.run<exactly_once<adaptive_guided, 2, loop{5}>>("adaptive_guided_2");
  models.run<exactly_once<adaptive_guided, 3, loop{5}>>("adaptive_guided_3");
  models.run<exactly_once<static_steal, 2, loop{5}>>("static_steal_2");
  models.run<exactly_once<static_steal, 2, loop{7, params::of_first(2)}>>("static_steal_2_chunk_2");
  models.run<exactly_once<static_steal, 3, loop{7}>>("static_steal_3");
  models.run<exactly_once<static_steal, 3, loop{6, {}, 1}>>("static_steal_3_one_absent");
  models.run<exactly_once<automatic, 2, loop{5}>>("auto_2");
  models.run<exactly_once<automatic, 3, loop{7}>>("auto_3");
  models.run<exactly_once<automatic, 3, loop{6, {}, 1}>>("auto_3_one_absent");
  return models.finish();
}
