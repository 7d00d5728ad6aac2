#include "values.hpp"

#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace doall::plugin {
namespace {

using llvm::Value;

constexpr unsigned deepest = 60;
constexpr unsigned most_steps = 20'000;
constexpr std::size_t most_writers = 200;

bool is_number(const llvm::Type* type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

}  // namespace

values::values(analyses& of, const dealt_loop& loop, llvm::Function& function)
    : at(loop.iterations->getHeader()),
      of_(of),
      loop_(loop),
      function_(function),
      build_(llvm::BasicBlock::Create(function.getContext(), "", &function),
             llvm::InstSimplifyFolder(function.getParent()->getDataLayout())) {
  for (llvm::BasicBlock* block : loop.iterations->blocks())
    for (llvm::Instruction& i : *block) {
      if (may_write(i)) writers_.push_back(&i);
      if (may_end(i)) ends_.push_back(&i);
    }
}

said values::refuse(const char* why) {
  if (why_ == nullptr) why_ = why;
  return {};
}

bool values::depends_on_k(Value* value) {
  llvm::SmallPtrSet<Value*, 32> met;
  llvm::SmallVector<Value*, 32> next{value};
  while (!next.empty()) {
    Value* const v = next.pop_back_val();
    if (v == k()) return true;
    if (!met.insert(v).second) continue;
    if (auto* i = llvm::dyn_cast<llvm::Instruction>(v)) next.append(i->op_begin(), i->op_end());
  }
  return false;
}

bool values::is_before(const Value* value) const {
  if (llvm::isa<llvm::Argument>(value)) return true;
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  return i != nullptr && of_.dominators.dominates(i, loop_.start);
}

// A load from the context, in the function's first block. The field is known when all are.
Value* values::capture(Value* value) {
  for (std::size_t i = 0; i < captures_.size(); ++i)
    if (captures_[i] == value) return captured_[i];
  captures_.push_back(value);
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> first(&entry, entry.begin());
  captured_.push_back(first.CreateLoad(value->getType(), function_.getArg(0)));
  return captured_.back();
}

void values::finish() {
  llvm::StructType* const type = type_of_context(function_.getContext(), captures_);
  for (unsigned i = 0; i < captured_.size(); ++i) {
    auto* const load = llvm::cast<llvm::LoadInst>(captured_[i]);
    llvm::IRBuilder<> here(load);
    load->setOperand(0, here.CreateStructGEP(type, function_.getArg(0), i));
  }
}

namespace {

bool only_loads(const llvm::Argument& from) {
  return llvm::all_of(from.users(),
                      [](const llvm::User* u) { return llvm::isa<llvm::LoadInst>(u); });
}

// Of a call that begins a region: whether the region only reads the variable that it is given.
bool region_only_reads(const llvm::CallBase& call, const Value* variable) {
  const auto* region = llvm::dyn_cast<llvm::Function>(call.getArgOperand(2)->stripPointerCasts());
  if (region == nullptr) return false;
  for (unsigned at = 3; at < call.arg_size(); ++at) {
    if (call.getArgOperand(at)->stripPointerCasts() != variable) continue;
    if (at - 1 >= region->arg_size() || !only_loads(*region->getArg(at - 1))) return false;
  }
  return true;
}

// Whether the variable is used by name alone: nobody else knows where it is.
bool is_known_to_itself(const Value* variable) {
  if (!llvm::isa<llvm::AllocaInst>(variable)) return false;
  return llvm::all_of(variable->users(), [&](const llvm::User* user) {
    if (llvm::isa<llvm::LoadInst>(user)) return true;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
      return store->getValueOperand() != variable;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr) return false;
    return llvm::isa<llvm::IntrinsicInst>(call) ||
           (begins_region(*call) && region_only_reads(*call, variable));
  });
}

// A variable of the function around the region, which the region only reads: its argument points to
// it. No call in the region can change it, whatever aliases say.
bool is_read_only_capture(const Value* place) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(place);
  if (argument == nullptr || argument->getArgNo() < 2) return false;
  const llvm::Function& region = *argument->getParent();
  if (!region.hasLocalLinkage() || !only_loads(*argument)) return false;
  return llvm::all_of(region.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const unsigned at = argument->getArgNo() + 1;  // behind two of the thread's, which are added
    return call != nullptr && begins_region(*call) && at < call->arg_size() &&
           is_known_to_itself(call->getArgOperand(at)->stripPointerCasts());
  });
}

}  // namespace

bool values::may_change(const llvm::LoadInst* load) {
  if (load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
  if (is_read_only_capture(load->getPointerOperand())) return false;
  if (writers_.size() > most_writers) return true;
  const auto place =
      llvm::MemoryLocation::getBeforeOrAfter(load->getPointerOperand(), load->getAAMetadata());
  for (llvm::Instruction* writer : writers_)
    if (llvm::isModSet(of_.aliases.getModRefInfo(writer, place))) return true;
  return false;
}

// Whether it may be read though the program may end in the loop: the first iteration reads it
// before, or it lies in an object that is there.
bool values::is_surely_read(const llvm::LoadInst* load) const {
  const bool first = llvm::all_of(
      ends_, [&](const llvm::Instruction* end) { return of_.dominators.dominates(load, end); });
  return first || llvm::isDereferenceableAndAlignedPointer(load->getPointerOperand(),
                                                           load->getType(), load->getAlign(),
                                                           function_.getParent()->getDataLayout());
}

said values::say_load(llvm::LoadInst* load) {
  if (load->getPointerOperand()->stripPointerCasts() == loop_.lower_place) {
    const said first = say(loop_.lower);
    const said step = say(loop_.increment);
    if (!first || !step) return {};
    llvm::Type* const type = load->getType();
    if (first.value->getType() != type || step.value->getType() != type)
      return refuse("how it counts is not known");
    Value* const number = build_.CreateZExtOrTrunc(k(), type);
    return {build_.CreateAdd(first.value, build_.CreateMul(step.value, number))};
  }
  if (!load->isSimple() || !is_number(load->getType()))
    return refuse("a bound in it is loaded in a way of its own");
  if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand())))
    return refuse("a bound in it is in memory of one thread's own");
  if (!of_.dominators.dominates(load->getParent(), at)) {
    // The same may have been loaded before.
    for (llvm::User* user : load->getPointerOperand()->users()) {
      auto* const other = llvm::dyn_cast<llvm::LoadInst>(user);
      if (other != nullptr && other->isSimple() && other->getType() == load->getType() &&
          other->getPointerOperand() == load->getPointerOperand() &&
          of_.dominators.dominates(other->getParent(), at))
        return say_load(other);
    }
    return refuse("a bound in it is loaded under a condition");
  }
  const said address = say(load->getPointerOperand());
  if (!address) return {};
  if (address.stale) return refuse("where a bound in it lies may change in the loop");
  if (!ends_.empty() && (depends_on_k(address.value) || !rounds_.empty() || !is_surely_read(load)))
    return refuse("it calls functions, or may end early");
  llvm::LoadInst* const again =
      build_.CreateAlignedLoad(load->getType(), address.value, load->getAlign());
  return {again, may_change(load)};
}

Value* values::safe_divisor(Value* divisor) {
  llvm::Type* const type = divisor->getType();
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(divisor))
    if (!c->isZero() && !c->isMinusOne()) return divisor;
  Value* const bad =
      build_.CreateOr(build_.CreateICmpEQ(divisor, llvm::ConstantInt::get(type, 0)),
                      build_.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)));
  return build_.CreateFreeze(build_.CreateSelect(bad, llvm::ConstantInt::get(type, 1), divisor));
}

said values::say_instruction(llvm::Instruction* i) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) return say_load(load);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
    if (phi->getParent() == loop_.iterations->getHeader())
      return say(phi->getIncomingValueForBlock(loop_.iterations->getLoopPredecessor()));
    if (phi->getNumIncomingValues() == 1) return say(phi->getIncomingValue(0));
    return refuse("a bound in it depends on earlier rounds, or on a condition");
  }
  const bool is_integer = i->getType()->isIntegerTy();
  llvm::SmallVector<Value*, 3> parts;
  bool stale = false;
  const auto say_operands = [&] {
    for (Value* operand : i->operands()) {
      if (llvm::isa<llvm::Function>(operand)) continue;
      const said part = say(operand);
      if (!part) return false;
      parts.push_back(part.value);
      stale = stale || part.stale;
    }
    return true;
  };
  if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(i)) {
    if (!say_operands()) return {};
    if (is_integer && binary->isIntDivRem()) parts[1] = safe_divisor(parts[1]);
    if (is_integer && binary->isShift())
      parts[1] = build_.CreateAnd(
          parts[1],
          llvm::ConstantInt::get(i->getType(),
                                 llvm::NextPowerOf2(i->getType()->getIntegerBitWidth() - 1) - 1));
    return {build_.CreateBinOp(binary->getOpcode(), parts[0], parts[1]), stale};
  }
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(i)) {
    if (!say_operands()) return {};
    return {build_.CreateFreeze(build_.CreateCast(cast->getOpcode(), parts[0], i->getType())),
            stale};
  }
  if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(i)) {
    if (!say_operands()) return {};
    return {build_.CreateCmp(compare->getPredicate(), parts[0], parts[1]), stale};
  }
  if (llvm::isa<llvm::SelectInst>(i)) {
    if (!say_operands()) return {};
    return {build_.CreateSelect(build_.CreateFreeze(parts[0]), parts[1], parts[2]), stale};
  }
  if (llvm::isa<llvm::FreezeInst>(i)) return say(i->getOperand(0));
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(i)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::ctlz:
      case llvm::Intrinsic::cttz:
      case llvm::Intrinsic::ctpop:
        if (!say_operands()) return {};
        if (parts.size() > 1) parts[1] = build_.getFalse();
        return {build_.CreateIntrinsic(call->getIntrinsicID(), {i->getType()}, parts), stale};
      default: break;
    }
  }
  return refuse(llvm::isa<llvm::CallBase>(i) ? "a bound in it comes from a function"
                                             : "a bound in it is made in a way that is not known");
}

said values::say(Value* value) {
  if (auto* c = llvm::dyn_cast<llvm::Constant>(value)) {
    const auto* global = llvm::dyn_cast<llvm::GlobalValue>(c->stripPointerCasts());
    if (global != nullptr && global->isThreadLocal())
      return refuse("a bound in it is in memory of one thread's own");
    return {value};
  }
  if (!is_number(value->getType())) return refuse("a bound in it is no number");
  const std::pair key{static_cast<const void*>(value),
                      static_cast<const llvm::BasicBlock*>(build_.GetInsertBlock())};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (++steps_ > most_steps || depth_ > deepest) return refuse("what it costs is too long a sum");
  ++depth_;
  said found;
  if (llvm::isa<llvm::AllocaInst>(value)) {
    found = refuse("a bound in it is in memory of one thread's own");
  } else if (is_before(value)) {
    found = {capture(value)};
  } else if (auto* i = llvm::dyn_cast<llvm::Instruction>(value)) {
    const llvm::SCEV* s =
        of_.evolution.isSCEVable(value->getType()) && !llvm::isa<llvm::LoadInst>(value)
            ? of_.evolution.getSCEV(value)
            : nullptr;
    const bool opaque = s == nullptr || (llvm::isa<llvm::SCEVUnknown>(s) &&
                                         llvm::cast<llvm::SCEVUnknown>(s)->getValue() == value);
    found = opaque ? say_instruction(i) : say(s);
  } else {
    found = refuse("a bound in it is made in a way that is not known");
  }
  --depth_;
  if (found) known_[key] = found;
  return found;
}

said values::say_recurrence(const llvm::SCEVAddRecExpr* s) {
  const llvm::Loop* const l = s->getLoop();
  if (l == loop_.iterations) return say(s->getStart());
  if (l->contains(loop_.start)) {
    for (llvm::PHINode& phi : l->getHeader()->phis())  // a loop around: the value is there before
      if (of_.evolution.isSCEVable(phi.getType()) && of_.evolution.getSCEV(&phi) == s)
        return {capture(&phi)};
    return refuse("a bound in it changes in a loop around");
  }
  const auto round = rounds_.find(l);
  if (round == rounds_.end() || !s->isAffine())
    return refuse("a bound in it changes from round to round");
  const said start = say(s->getStart());
  const said step = say(s->getStepRecurrence(of_.evolution));
  if (!start || !step) return {};
  Value* const moved =
      build_.CreateMul(build_.CreateZExtOrTrunc(round->second, step.value->getType()), step.value);
  const bool stale = start.stale || step.stale;
  if (start.value->getType()->isPointerTy())
    return {build_.CreateGEP(build_.getInt8Ty(), start.value, moved), stale};
  return {build_.CreateAdd(start.value, moved), stale};
}

// Sums, products, and the like.
said values::say_all(const llvm::SCEV* s) {
  Value* all = nullptr;
  Value* pointer = nullptr;
  bool stale = false;
  for (const llvm::SCEV* operand : s->operands()) {
    const said part = say(operand);
    if (!part) return {};
    stale = stale || part.stale;
    if (part.value->getType()->isPointerTy()) {
      if (pointer != nullptr || s->getSCEVType() != llvm::scAddExpr)
        return refuse("a bound in it is made in a way that is not known");
      pointer = part.value;
      continue;
    }
    if (all == nullptr) {
      all = part.value;
      continue;
    }
    using llvm::Intrinsic::ID;
    const auto by = [&](ID which) { return build_.CreateBinaryIntrinsic(which, all, part.value); };
    switch (s->getSCEVType()) {
      case llvm::scAddExpr: all = build_.CreateAdd(all, part.value); break;
      case llvm::scMulExpr: all = build_.CreateMul(all, part.value); break;
      case llvm::scSMaxExpr: all = by(llvm::Intrinsic::smax); break;
      case llvm::scUMaxExpr: all = by(llvm::Intrinsic::umax); break;
      case llvm::scSMinExpr: all = by(llvm::Intrinsic::smin); break;
      default: all = by(llvm::Intrinsic::umin); break;
    }
  }
  if (pointer == nullptr) return {all, stale};
  return {build_.CreateGEP(build_.getInt8Ty(), pointer, all), stale};
}

// A value that is used more than once is said once.
said values::say(const llvm::SCEV* s) {
  if (const auto* c = llvm::dyn_cast<llvm::SCEVConstant>(s)) return {c->getValue()};
  const std::pair key{static_cast<const void*>(s),
                      static_cast<const llvm::BasicBlock*>(build_.GetInsertBlock())};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (++steps_ > most_steps) return refuse("what it costs is too long a sum");
  const said found = say_made(s);
  if (found) known_[key] = found;
  return found;
}

said values::say_made(const llvm::SCEV* s) {
  switch (s->getSCEVType()) {
    case llvm::scUnknown: return say(llvm::cast<llvm::SCEVUnknown>(s)->getValue());
    case llvm::scTruncate:
    case llvm::scZeroExtend:
    case llvm::scSignExtend:
    case llvm::scPtrToInt: {
      const said from = say(llvm::cast<llvm::SCEVCastExpr>(s)->getOperand());
      if (!from) return {};
      if (s->getSCEVType() == llvm::scPtrToInt)
        return {build_.CreatePtrToInt(from.value, s->getType()), from.stale};
      return {s->getSCEVType() == llvm::scSignExtend
                  ? build_.CreateSExt(from.value, s->getType())
                  : build_.CreateZExtOrTrunc(from.value, s->getType()),
              from.stale};
    }
    case llvm::scUDivExpr: {
      const auto* division = llvm::cast<llvm::SCEVUDivExpr>(s);
      const said a = say(division->getLHS());
      const said b = say(division->getRHS());
      if (!a || !b) return {};
      Value* const one = llvm::ConstantInt::get(b.value->getType(), 1);
      Value* const by =
          build_.CreateFreeze(build_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, b.value, one));
      return {build_.CreateUDiv(a.value, by), a.stale || b.stale};
    }
    case llvm::scAddRecExpr: return say_recurrence(llvm::cast<llvm::SCEVAddRecExpr>(s));
    case llvm::scAddExpr:
    case llvm::scMulExpr:
    case llvm::scSMaxExpr:
    case llvm::scUMaxExpr:
    case llvm::scSMinExpr:
    case llvm::scUMinExpr:
    case llvm::scSequentialUMinExpr: return say_all(s);
    default: return refuse("how often a loop in it runs is not known");
  }
}

}  // namespace doall::plugin
