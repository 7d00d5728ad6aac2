// Walks through an iteration, and says what it costs (COWS's getWL; the rules are
// those of GCC's plugin, src/plugin/work.cpp).
//
// An iteration costs its instructions, and for each loop inside how often that runs times what a
// round costs; rounds that differ are summed up by a loop in the function. A condition costs as
// much as the larger of its branches. Where a loop stands under a condition, the function asks the
// condition, too, if it can be said: LLVM writes most loops so that a test comes before the first
// round. Else the work is guarded, unless all branches have loops, of which the largest counts.
//
// The walk keeps to what the program is known to do in iteration k: `values::at` moves along with
// it, into a branch only if the function takes that branch as the program does, and not beyond an
// exit that some round may leave by. Nothing is summed up where the program or the loop may end in
// an iteration: costs are asked for before, also of iterations that then are not run.
//
// Ends: of an iteration whose branches with loops meet too often nothing is said (most_blocks).
#include "work.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace doall::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Loop;
using llvm::Value;

constexpr std::uint64_t most_rounds = std::uint64_t{1} << 40;
constexpr unsigned most_blocks = 20'000;  // that are walked through

// A stretch of the iteration; null cycles: not known.
struct stretch {
  Value* cycles = nullptr;
  std::uint64_t twice_mean = 0;  // with branches equally likely; of a stretch without loops
  bool has_loop = false;
};

class walker {
 public:
  walker(analyses& of, const dealt_loop& loop, values& in)
      : of_(of),
        loop_(loop),
        in_(in),
        build_(in.build()),
        ends_late_(!in.may_end_early() && loop.iterations->getExitingBlock() != nullptr) {}

  stretch iteration() { return round_of(loop_.iterations); }

  bool at_most = false;
  bool varies = false;
  const char* guard = nullptr;
  llvm::DenseMap<Value*, choice> choices;
  llvm::DenseMap<Value*, summed> sums;

 private:
  stretch path_of(Loop* l, BasicBlock* block, const BasicBlock* end);
  stretch walk(Loop* l, BasicBlock* block, const BasicBlock* end);
  stretch round_of(Loop* l);
  stretch loop_of(Loop* l);
  stretch ways_out(Loop* l, const Loop* inner, const BasicBlock* met);
  stretch branches_of(Loop* l, BasicBlock* block, BasicBlock* joined, bool& joins);
  stretch asked(Loop* l, llvm::BranchInst* branch, const said& condition, BasicBlock* joined);
  Value* sum_over(Loop* l, Value* rounds);

  Value* number(std::uint64_t n) { return build_.getInt64(n); }
  BasicBlock* new_block() {
    BasicBlock* const current = build_.GetInsertBlock();
    return BasicBlock::Create(current->getContext(), "", current->getParent());
  }
  BasicBlock* after(const Loop* l) const;
  bool has_loop(const Loop* l, const BasicBlock* from, const BasicBlock* end) const;

  analyses& of_;
  const dealt_loop& loop_;
  values& in_;
  builder& build_;
  const bool ends_late_;  // the program runs all iterations, and each to its end
  std::map<std::tuple<const Loop*, const BasicBlock*, const BasicBlock*>, stretch> plain_;
  unsigned walked_ = 0;
  bool certain_ = true;  // the program comes to the block that is being looked at
};

unsigned price_of(const llvm::Instruction& i) {
  const price_table& price = plugin::asked().price;
  if (llvm::isa<llvm::AtomicRMWInst>(i) || llvm::isa<llvm::AtomicCmpXchgInst>(i))
    return price.atomic;
  if (llvm::isa<llvm::LoadInst>(i) || llvm::isa<llvm::StoreInst>(i)) return price.load;
  if (llvm::isa<llvm::IntrinsicInst>(i))
    return i.mayHaveSideEffects() || i.getType()->isVoidTy() ? 0 : price.statement;
  if (llvm::isa<llvm::CallBase>(i)) return price.call;
  switch (i.getOpcode()) {
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem: return price.division;
    default: break;
  }
  const bool nothing = llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::CastInst>(i) ||
                       llvm::isa<llvm::GetElementPtrInst>(i) || i.isTerminator() ||
                       llvm::isa<llvm::FreezeInst>(i);
  return nothing ? 0 : price.statement;
}

// Where all ways out of the loop meet.
BasicBlock* walker::after(const Loop* l) const {
  auto* node = of_.post_dominators.getNode(l->getHeader());
  while (node != nullptr && node->getBlock() != nullptr && l->contains(node->getBlock()))
    node = node->getIDom();
  return node != nullptr ? node->getBlock() : nullptr;
}

bool walker::has_loop(const Loop* l, const BasicBlock* from, const BasicBlock* end) const {
  llvm::SmallPtrSet<const BasicBlock*, 16> met;
  llvm::SmallVector<const BasicBlock*, 16> next{from};
  while (!next.empty()) {
    const BasicBlock* const block = next.pop_back_val();
    if (block == end || block == l->getHeader() || !l->contains(block)) continue;
    if (of_.loops.getLoopFor(block) != l) return true;
    if (!met.insert(block).second) continue;
    next.append(llvm::succ_begin(block), llvm::succ_end(block));
  }
  return false;
}

Value* walker::sum_over(Loop* l, Value* rounds) {
  BasicBlock* const before = build_.GetInsertBlock();
  BasicBlock* const each = new_block();
  BasicBlock* const behind = new_block();
  build_.CreateBr(each);  // there is at least one round
  build_.SetInsertPoint(each);
  llvm::PHINode* const round = build_.CreatePHI(build_.getInt64Ty(), 2);
  llvm::PHINode* const total = build_.CreatePHI(build_.getInt64Ty(), 2);
  in_.number(l, round);
  const stretch one = round_of(l);
  in_.number_no_more(l);
  Value* const sum = build_.CreateAdd(total, one.cycles != nullptr ? one.cycles : number(0));
  Value* const next = build_.CreateAdd(round, number(1));
  BasicBlock* const last = build_.GetInsertBlock();
  build_.CreateCondBr(build_.CreateICmpULT(next, rounds), each, behind);
  round->addIncoming(number(0), before);
  round->addIncoming(next, last);
  total->addIncoming(number(0), before);
  total->addIncoming(sum, last);
  build_.SetInsertPoint(behind);
  if (one.cycles == nullptr) return nullptr;
  if (in_.depends_on_k(rounds)) varies = true;
  sums[sum] = {round, rounds, one.cycles};
  return sum;
}

stretch walker::loop_of(Loop* l) {
  stretch found;
  found.has_loop = true;
  const said turns = turns_of(of_, in_, l, certain_, at_most);
  if (!turns) return found;
  Value* const wide = build_.CreateZExtOrTrunc(turns.value, build_.getInt64Ty());
  Value* const rounds = build_.CreateFreeze(build_.CreateAdd(
      build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, wide, number(most_rounds)), number(1)));
  const bool was_at_most = at_most;
  const char* const guard_before = guard;
  const stretch one = round_of(l);
  if (one.cycles != nullptr) {
    found.cycles = build_.CreateMul(rounds, one.cycles);
    return found;
  }
  // A sum takes time, and may load what only those rounds load that the program runs, and all of
  // them.
  if (turns.stale || was_at_most || !certain_ || !ends_late_) return found;
  guard = guard_before;
  at_most = was_at_most;
  in_.forget_why();
  found.cycles = sum_over(l, rounds);
  return found;
}

stretch walker::ways_out(Loop* l, const Loop* inner, const BasicBlock* met) {
  stretch most{number(0)};
  llvm::SmallVector<BasicBlock*, 4> exits;
  inner->getUniqueExitBlocks(exits);
  const bool certain = std::exchange(certain_, false);
  for (BasicBlock* exit : exits) {
    if (exit == met || !l->contains(exit)) continue;
    const stretch one = path_of(l, exit, met);
    if (one.cycles == nullptr) {
      most.cycles = nullptr;
      break;
    }
    most.cycles = build_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most.cycles, one.cycles);
  }
  certain_ = certain;
  return most;
}

// The condition is the same in the function as in the iteration, so its branches may load what only
// they load; of a stale one they may not.
stretch walker::asked(Loop* l, llvm::BranchInst* branch, const said& condition,
                      BasicBlock* joined) {
  const BasicBlock* const at = in_.at;
  const bool certain = certain_;
  BasicBlock* const ways[] = {new_block(), new_block()};
  BasicBlock* const behind = new_block();
  build_.CreateCondBr(build_.CreateFreeze(condition.value), ways[0], ways[1]);
  stretch found{nullptr, 0, true};
  stretch each[2];
  BasicBlock* last[2];
  for (unsigned w = 0; w < 2; ++w) {
    build_.SetInsertPoint(ways[w]);
    in_.at = at;
    certain_ = certain && !condition.stale;
    BasicBlock* const to = branch->getSuccessor(w);
    const bool ends = to == l->getHeader() || !l->contains(to) || to == joined;
    each[w] = ends ? stretch{number(0)} : path_of(l, to, joined);
    last[w] = build_.GetInsertBlock();
    build_.CreateBr(behind);
  }
  build_.SetInsertPoint(behind);
  in_.at = at;
  certain_ = certain;
  if (each[0].cycles == nullptr || each[1].cycles == nullptr) return found;
  llvm::PHINode* const cycles = build_.CreatePHI(build_.getInt64Ty(), 2);
  for (unsigned w = 0; w < 2; ++w) cycles->addIncoming(each[w].cycles, last[w]);
  if (in_.depends_on_k(condition.value) && each[0].cycles != each[1].cycles) varies = true;
  choices[cycles] = {condition.value, each[0].cycles, each[1].cycles};
  found.cycles = cycles;
  return found;
}

stretch walker::branches_of(Loop* l, BasicBlock* block, BasicBlock* joined, bool& joins) {
  llvm::SmallVector<BasicBlock*, 4> ways;
  unsigned with_loops = 0;
  for (BasicBlock* to : llvm::successors(block)) {
    if (!l->contains(to)) continue;
    ways.push_back(to);
    if (to != l->getHeader() && has_loop(l, to, joined)) ++with_loops;
  }
  joins = joined != nullptr && l->contains(joined);
  const bool is_latch = ways.size() > 1 && llvm::is_contained(ways, l->getHeader());
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
  if (with_loops > 0 && branch != nullptr && ways.size() == 2) {
    const said condition = in_.say(branch->getCondition());
    if (condition) return asked(l, branch, condition, joined);
    in_.forget_why();
  }
  stretch most{number(0)};
  most.has_loop = with_loops > 0;
  const bool certain = std::exchange(certain_, false);
  bool known = true;
  std::uint64_t means = 0;
  for (BasicBlock* to : ways) {
    if (to == joined || to == l->getHeader()) continue;
    const stretch one = path_of(l, to, joined);
    means += one.twice_mean;
    if (one.cycles == nullptr)
      known = false;
    else if (known)
      most.cycles = build_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most.cycles, one.cycles);
  }
  certain_ = certain && !is_latch;
  most.twice_mean = means / std::max<std::uint64_t>(ways.size(), 1);
  if (with_loops > 0 && (!known || (plugin::asked().respects_guards && with_loops < ways.size()))) {
    guard = "a loop in it stands under a condition";
    known = false;
  }
  if (!known) most.cycles = nullptr;
  return most;
}

// From the block to `end`, or to the end of the round of l. What has no loops costs the same
// whatever way the program has come: branches that meet again and again are walked through once.
stretch walker::path_of(Loop* l, BasicBlock* block, const BasicBlock* end) {
  if (certain_) return walk(l, block, end);
  const std::tuple key{static_cast<const Loop*>(l), static_cast<const BasicBlock*>(block), end};
  if (const auto known = plain_.find(key); known != plain_.end()) return known->second;
  const stretch found = walk(l, block, end);
  if (!found.has_loop && llvm::isa_and_nonnull<llvm::ConstantInt>(found.cycles))
    plain_[key] = found;
  return found;
}

stretch walker::walk(Loop* l, BasicBlock* block, const BasicBlock* end) {
  stretch sum{number(0)};
  const auto add = [&](const stretch& part) {
    sum.has_loop = sum.has_loop || part.has_loop;
    sum.twice_mean += part.twice_mean;
    sum.cycles = part.cycles != nullptr ? build_.CreateAdd(sum.cycles, part.cycles) : nullptr;
    return sum.cycles != nullptr;
  };
  while (block != nullptr && block != end && l->contains(block)) {
    if (++walked_ > most_blocks) {
      in_.refuse("what it costs is too long a sum");
      sum.cycles = nullptr;
      return sum;
    }
    if (of_.loops.getLoopFor(block) != l) {  // a loop inside begins
      Loop* inner = of_.loops.getLoopFor(block);
      while (inner->getParentLoop() != l) inner = inner->getParentLoop();
      if (certain_) in_.at = block;
      if (!add(loop_of(inner))) return sum;
      BasicBlock* const met = after(inner);
      if (!add(ways_out(l, inner, met))) return sum;
      block = met;
      continue;
    }
    if (certain_) in_.at = block;
    std::uint64_t own = 0;
    for (const llvm::Instruction& i : *block) own += price_of(i);
    add({number(own), 2 * own, false});
    llvm::SmallVector<BasicBlock*, 4> ways;
    bool may_leave = false;
    bool ends = false;
    for (BasicBlock* to : llvm::successors(block)) {
      if (to == l->getHeader())
        ends = true;
      else if (l->contains(to))
        ways.push_back(to);
      else
        may_leave = true;
    }
    if (may_leave && !ways.empty()) certain_ = false;
    if (ways.size() + (ends ? 1 : 0) <= 1) {
      block = ways.empty() ? nullptr : ways.front();
      continue;
    }
    auto* const node = of_.post_dominators.getNode(block)->getIDom();
    BasicBlock* joined = node != nullptr ? node->getBlock() : nullptr;
    bool joins = false;
    if (!add(branches_of(l, block, joined, joins))) return sum;
    block = joins ? joined : nullptr;
  }
  return sum;
}

stretch walker::round_of(Loop* l) {
  const BasicBlock* const at = in_.at;
  const bool certain = certain_;
  stretch sum = path_of(l, l->getHeader(), nullptr);
  in_.at = at;
  certain_ = certain;
  if (sum.cycles != nullptr)
    sum.cycles = build_.CreateAdd(sum.cycles, number(plugin::asked().price.round));
  return sum;
}

}  // namespace

work work_of(analyses& of, const dealt_loop& loop, values& in) {
  walker walk(of, loop, in);
  const stretch all = walk.iteration();
  work found;
  found.cycles = all.cycles;
  found.varies = all.cycles != nullptr && (walk.varies || in.depends_on_k(all.cycles));
  found.at_most = walk.at_most;
  found.guard = walk.guard;
  found.mean = all.has_loop ? 0 : std::max<std::uint64_t>(all.twice_mean / 2, 1);
  found.choices = std::move(walk.choices);
  found.sums = std::move(walk.sums);
  return found;
}

}  // namespace doall::plugin
