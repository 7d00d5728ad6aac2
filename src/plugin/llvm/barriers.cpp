// Static loops that must have the same blocks, so that no costs may cut them.
//
// Static loops of one region with as many iterations give an iteration to the same thread: OpenMP
// promises it for schedule(static), which Clang's code does not tell from no clause. So only a loop
// that is alone in its region is cut by its costs.
//
// With -fdoall-static a barrier ends that. Without one a loop reads what the other wrote on the
// same thread (src/plugin/README.md, "Loops without a barrier between them"): from the end of each
// static loop on, all ways to a barrier are looked at. A further static loop, a call of a function
// that may have one, or the end of a function that is not a region's make the loop one of a pair;
// the runtime takes all static loops that its thread then meets before a barrier for the other one
// (task_state::blocks_open). A region ends with a barrier.
#include "pass.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace doall::plugin {
namespace {

using llvm::BasicBlock;
using llvm::CallBase;
using llvm::Function;
using llvm::Instruction;

llvm::StringRef name_of(const CallBase& call) {
  const Function* called = call.getCalledFunction();
  return called != nullptr ? called->getName() : llvm::StringRef();
}

// The function is begun by __kmpc_fork_call alone.
bool is_region(const Function& f) {
  if (!f.hasLocalLinkage() || f.use_empty()) return false;
  for (const llvm::User* user : f.users()) {
    const auto* call = llvm::dyn_cast<CallBase>(user);
    if (call == nullptr || !begins_region(*call)) return false;
  }
  return true;
}

// Whether a function of C's library calls one of the program's: qsort() is the only one that LLVM
// knows. What it is passed may be a variable. Of others a function is seen that is named.
bool calls_back(const CallBase& call, llvm::LibFunc known) {
  return known == llvm::LibFunc_qsort || llvm::any_of(call.args(), [](const llvm::Use& argument) {
           return llvm::isa<Function>(argument->stripPointerCastsAndAliases());
         });
}

constexpr int deepest = 4;

// Whether a static loop of the calling thread's team may begin in it.
bool may_begin_loops(const CallBase& call, const llvm::TargetLibraryInfo& library, int depth) {
  if (llvm::isa<llvm::IntrinsicInst>(call) || call.doesNotAccessMemory()) return false;
  const llvm::StringRef name = name_of(call);
  if (name.starts_with("__kmpc_for_static_init") || name.starts_with("__kmpc_dist_for"))
    return true;
  if (name.starts_with("__kmpc_")) return false;
  const Function* called = call.getCalledFunction();
  if (called == nullptr) return true;
  if (is_of_api(*called)) return false;
  llvm::LibFunc known;
  if (called->isDeclaration() && library.getLibFunc(*called, known)) return calls_back(call, known);
  if (called->isDeclaration() || depth == 0) return true;
  for (const Instruction& i : llvm::instructions(*called)) {
    const auto* inner = llvm::dyn_cast<CallBase>(&i);
    if (inner != nullptr && may_begin_loops(*inner, library, depth - 1)) return true;
  }
  return false;
}

enum class seen { nothing, barrier, pair };

// What the block's instructions from there on meet first.
seen look(BasicBlock::const_iterator from, const BasicBlock& block, const analyses& of,
          bool region) {
  for (auto i = from; i != block.end(); ++i) {
    if (const auto* call = llvm::dyn_cast<CallBase>(&*i)) {
      const llvm::StringRef name = name_of(*call);
      if (name == "__kmpc_barrier") return seen::barrier;
      if (may_begin_loops(*call, of.library, deepest)) return seen::pair;
    }
    if (llvm::isa<llvm::ReturnInst>(*i) || llvm::isa<llvm::ResumeInst>(*i))
      return region ? seen::barrier : seen::pair;
  }
  return seen::nothing;
}

bool meets_another(const CallBase* end, const analyses& of, bool region) {
  llvm::SmallPtrSet<const BasicBlock*, 16> met;
  llvm::SmallVector<const BasicBlock*, 16> next;
  const auto go_on = [&](const BasicBlock& block, BasicBlock::const_iterator from) {
    const seen what = look(from, block, of, region);
    if (what == seen::nothing)
      for (const BasicBlock* after : llvm::successors(&block))
        if (met.insert(after).second) next.push_back(after);
    return what == seen::pair;
  };
  if (go_on(*end->getParent(), std::next(end->getIterator()))) return true;
  while (!next.empty()) {
    const BasicBlock* block = next.pop_back_val();
    if (go_on(*block, block->begin())) return true;
  }
  return false;
}

}  // namespace

namespace {

// Whether the region has the loop, and no other one.
bool is_alone(const analyses& of, const dealt_loop& loop) {
  return is_region(of.function) &&
         llvm::all_of(llvm::instructions(of.function), [&](const Instruction& i) {
           const auto* call = llvm::dyn_cast<CallBase>(&i);
           return call == nullptr || call == loop.start ||
                  !may_begin_loops(*call, of.library, deepest);
         });
}

}  // namespace

void find_pairs(const analyses& of, llvm::SmallVectorImpl<dealt_loop>& loops) {
  if (!asked().steers_static) {
    for (dealt_loop& loop : loops)
      if (loop.is_static && !is_alone(of, loop))
        loop.keeps_blocks = "static loops of a region have the same blocks (-fdoall-static)";
  }
  const bool region = is_region(of.function);
  for (const Instruction& i : llvm::instructions(of.function)) {
    const auto* end = llvm::dyn_cast<CallBase>(&i);
    if (end == nullptr || name_of(*end) != "__kmpc_for_static_fini" ||
        !meets_another(end, of, region))
      continue;
    // It ends the last loop that has begun on all ways to it.
    dealt_loop* ended = nullptr;
    for (dealt_loop& loop : loops) {
      if (loop.is_static && of.dominators.dominates(loop.start, end) &&
          (ended == nullptr || of.dominators.dominates(ended->start, loop.start)))
        ended = &loop;
    }
    if (ended != nullptr)
      ended->keeps_blocks = "there may be no barrier between it and another static loop";
  }
}

}  // namespace doall::plugin
