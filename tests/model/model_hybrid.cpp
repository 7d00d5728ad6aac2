// hybrid: claims against claims in one word of flags, thieves against the owner of a run that
// is filled again and again, and frames that an idle worker begins where nobody came. Every
// iteration is dealt exactly once (exactly_once.hpp).
#include "exactly_once.hpp"
#include "schedule/hybrid.hpp"

namespace {

using doall::model::exactly_once;
using doall::model::loop;
using doall::schedules::hybrid;
using doall::schedules::hybrid_published;
using doall::schedules::params;

constexpr params given(doall::schedules::u64 chunk, doall::schedules::u64 parts) {
  return params::of(hybrid::options{.chunk = chunk, .parts = parts});
}

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<exactly_once<hybrid, 2, loop{6}>>("hybrid_2");
  models.run<exactly_once<hybrid, 2, loop{8, given(1, 4)}>>("hybrid_2_parts_4");
  models.run<exactly_once<hybrid, 2, loop{5, given(1, 1)}>>("hybrid_2_parts_1");
  models.run<exactly_once<hybrid, 2, loop{4, given(0, 16)}>>("hybrid_2_parts_16");
  models.run<exactly_once<hybrid, 3, loop{7}>>("hybrid_3");
  models.run<exactly_once<hybrid, 3, loop{6, given(0, 2)}>>("hybrid_3_parts_2");
  models.run<exactly_once<hybrid, 3, loop{8}>>("hybrid_3_even");
  models.run<exactly_once<hybrid, 3, loop{7, {}, 1}>>("hybrid_3_one_absent");
  models.run<exactly_once<hybrid, 4, loop{6, given(2, 0), 1}>>("hybrid_4_one_absent");
  models.run<exactly_once<hybrid_published, 2, loop{6}>>("hybrid_published_2");
  models.run<exactly_once<hybrid_published, 3, loop{7}>>("hybrid_published_3");
  models.run<exactly_once<hybrid_published, 3, loop{7, {}, 1}>>("hybrid_published_3_one_absent");
  return models.finish();
}
