// The flat form of the splitting schedules: thieves that fill their runs from others', with
// grains of one and of several, and where all take from one run. Every iteration is dealt
// exactly once (exactly_once.hpp).
#include "exactly_once.hpp"
#include "schedule/ebs_auto.hpp"
#include "schedule/flat_splitting.hpp"
#include "schedule/lbs.hpp"
#include "schedule/sws.hpp"

namespace {

using namespace doall::schedules;
using doall::model::exactly_once;
using doall::model::loop;

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<exactly_once<flat_splitting<lbs>, 2, loop{5, params::of_first(1)}>>("flat_lbs_2");
  models.run<exactly_once<flat_splitting<lbs>, 3, loop{8, params::of_first(2)}>>("flat_lbs_3");
  models.run<exactly_once<flat_splitting<lbs>, 3, loop{6, params::of_first(1), 1}>>(
      "flat_lbs_3_one_absent");
  constexpr auto two_when_stolen = params::of(ebs_auto::options{.k = 1, .v = 2});
  models.run<exactly_once<flat_splitting<ebs_auto>, 3, loop{7, two_when_stolen}>>(
      "flat_ebs_auto_3");
  models.run<exactly_once<flat_splitting<sws>, 3, loop{5}>>("flat_sws_3");
  return models.finish();
}
