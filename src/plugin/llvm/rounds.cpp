// How often a loop inside of an iteration runs: as LLVM's scalar evolution knows it; by the exits
// of which it knows it, when there are several (then that is the most); or, where the bound is
// loaded again in each round, as that is in the first.
#include "values.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace doall::plugin {
namespace {

using llvm::Value;

// A bound that comes from the range of a type says nothing.
constexpr std::uint64_t most_known = std::uint64_t{1} << 30;

// The one exit's question: `counter` (in the first round) `predicate` the bound, and on.
struct exit_of_loop {
  const llvm::SCEVAddRecExpr* counter = nullptr;
  Value* bound = nullptr;
  llvm::CmpInst::Predicate goes_on = llvm::CmpInst::BAD_ICMP_PREDICATE;
  const llvm::BasicBlock* block = nullptr;
};

bool is_loaded_anew(analyses& of, Value* v, const llvm::Loop* l) {
  while (auto* cast = llvm::dyn_cast<llvm::CastInst>(v)) v = cast->getOperand(0);
  auto* const load = llvm::dyn_cast<llvm::LoadInst>(v);
  return load != nullptr && l->contains(load) &&
         of.evolution.isLoopInvariant(of.evolution.getSCEV(load->getPointerOperand()), l);
}

exit_of_loop find_exit(analyses& of, llvm::Loop* l) {
  exit_of_loop found;
  llvm::BasicBlock* const block = l->getExitingBlock();
  if (block == nullptr) return found;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  auto* compare = branch != nullptr && branch->isConditional()
                      ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                      : nullptr;
  if (compare == nullptr || !of.evolution.isSCEVable(compare->getOperand(0)->getType()))
    return found;
  auto predicate = compare->getPredicate();
  if (!l->contains(branch->getSuccessor(0)))
    predicate = llvm::CmpInst::getInversePredicate(predicate);
  for (unsigned side = 0; side < 2; ++side) {
    const auto* counter =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(of.evolution.getSCEV(compare->getOperand(side)));
    Value* const bound = compare->getOperand(1 - side);
    if (counter == nullptr || counter->getLoop() != l || !counter->isAffine() ||
        !is_loaded_anew(of, bound, l))
      continue;
    if (side == 1) predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    return {counter, bound, predicate, block};
  }
  return found;
}

// Of a counter that goes up or down by a constant to the bound; null: it does neither.
said count_to(analyses& of, values& in, const exit_of_loop& exit) {
  const auto* step =
      llvm::dyn_cast<llvm::SCEVConstant>(exit.counter->getStepRecurrence(of.evolution));
  const bool up =
      exit.goes_on == llvm::CmpInst::ICMP_SLT || exit.goes_on == llvm::CmpInst::ICMP_ULT ||
      exit.goes_on == llvm::CmpInst::ICMP_SLE || exit.goes_on == llvm::CmpInst::ICMP_ULE;
  const bool with_end =
      exit.goes_on == llvm::CmpInst::ICMP_SLE || exit.goes_on == llvm::CmpInst::ICMP_ULE ||
      exit.goes_on == llvm::CmpInst::ICMP_SGE || exit.goes_on == llvm::CmpInst::ICMP_UGE;
  if (step == nullptr || !exit.counter->getType()->isIntegerTy() ||
      exit.goes_on == llvm::CmpInst::ICMP_EQ)
    return {};
  const std::int64_t by = step->getAPInt().getSExtValue();
  const bool any_way = exit.goes_on == llvm::CmpInst::ICMP_NE;
  if (by == 0 || (any_way ? by != 1 && by != -1 : up != (by > 0))) return {};
  const said from = in.say(exit.counter->getStart());
  const said to = in.say(exit.bound);
  if (!from || !to) return {};
  builder& build = in.build();
  llvm::Type* const wide = build.getInt64Ty();
  const bool has_sign = llvm::CmpInst::isSigned(exit.goes_on) || any_way;
  Value* const a = build.CreateIntCast(by > 0 ? from.value : to.value, wide, has_sign);
  Value* const b = build.CreateIntCast(by > 0 ? to.value : from.value, wide, has_sign);
  const auto before = with_end ? llvm::CmpInst::ICMP_ULT : llvm::CmpInst::ICMP_ULE;
  Value* const none =
      build.CreateICmp(has_sign ? llvm::ICmpInst::getSignedPredicate(before) : before, b, a);
  // The span needs all 64 bits.
  Value* const span = build.CreateSub(b, a);
  Value* const before_last = with_end ? span : build.CreateSub(span, build.getInt64(1));
  const std::uint64_t size = by > 0 ? by : -static_cast<std::uint64_t>(by);
  Value* const some =
      build.CreateAdd(build.CreateUDiv(before_last, build.getInt64(size)), build.getInt64(1));
  return {build.CreateSelect(none, build.getInt64(0), some), from.stale || to.stale};
}

}  // namespace

said turns_of(analyses& of, values& in, llvm::Loop* l, bool certain, bool& at_most) {
  const llvm::SCEV* count = of.evolution.getBackedgeTakenCount(l);
  if (!llvm::isa<llvm::SCEVCouldNotCompute>(count)) return in.say(count);
  if (const exit_of_loop exit = find_exit(of, l); exit.counter != nullptr) {
    const llvm::BasicBlock* const at = in.at;
    if (certain) in.at = exit.block;  // the first round comes to its only exit
    const said found = count_to(of, in, exit);
    in.at = at;
    if (found) return found;
  }
  count = of.evolution.getSymbolicMaxBackedgeTakenCount(l);
  const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(count);
  if (constant != nullptr && constant->getAPInt().ugt(most_known))
    count = of.evolution.getCouldNotCompute();
  const said found = in.say(count);
  if (found) at_most = true;
  return found;
}

}  // namespace doall::plugin
