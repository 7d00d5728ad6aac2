// Finds worksharing loops in the code that Clang and flang make of them.
//
// A static loop asks once for its bounds, between __kmpc_for_static_init_* and
// __kmpc_for_static_fini; others ask __kmpc_dispatch_next_* for each chunk. Either writes a first
// and a last number to memory of the thread's own, over which a loop runs: the outermost one behind
// the call whose count depends on the first number. It must be the only one, and run whenever there
// is a number: else LLVM has split it by a condition, and what one part does is not every
// iteration's.
#include "pass.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace doall::plugin {
namespace {

// What the runtime calls schedules (src/omp/llvm/trips.hpp).
constexpr std::int64_t of_static = 34;
constexpr std::int64_t modifiers = (std::int64_t{1} << 29) | (std::int64_t{1} << 30);
constexpr std::uint64_t flag_of_sections = 0x400;  // of an ident_t

const llvm::CallInst* call_of(const llvm::Instruction& i, llvm::StringRef beginning) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
  return called != nullptr && called->getName().starts_with(beginning) ? call : nullptr;
}

bool is_sections(const llvm::Value* ident) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(ident->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return false;
  const auto* flags =
      llvm::dyn_cast_or_null<llvm::ConstantInt>(global->getInitializer()->getAggregateElement(1U));
  return flags != nullptr && (flags->getZExtValue() & flag_of_sections) != 0;
}

// What the code wrote there before the call; null: several things, or others may write.
llvm::Value* written_before(const analyses& of, llvm::Value* place, const llvm::CallInst* call) {
  llvm::Value* written = nullptr;
  for (llvm::User* user : place->users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() == place) return nullptr;
      if (of.dominators.dominates(call, store)) continue;  // behind it
      if (!of.dominators.dominates(store, call)) return nullptr;
      if (written != nullptr) return nullptr;
      written = store->getValueOperand();
      continue;
    }
    if (!llvm::isa<llvm::CallBase>(user)) return nullptr;
  }
  return written;
}

bool loads_from(const llvm::Value* v, const llvm::Value* place) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(v);
  return load != nullptr && load->getPointerOperand()->stripPointerCasts() == place;
}

bool depends_on_load(const llvm::SCEV* s, const llvm::Value* place) {
  if (llvm::isa<llvm::SCEVCouldNotCompute>(s)) return false;
  return llvm::SCEVExprContains(s, [&](const llvm::SCEV* part) {
    const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(part);
    return unknown != nullptr && loads_from(unknown->getValue(), place);
  });
}

// Whether the condition asks if the thread has any iterations.
bool asks_for_any(analyses& of, const llvm::Value* condition, const dealt_loop& loop) {
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (compare == nullptr) return false;
  for (llvm::Value* side : compare->operands()) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(side);
    if (i != nullptr && call_of(*i, "__kmpc_dispatch_next_")) return true;
    if (of.evolution.isSCEVable(side->getType()) &&
        depends_on_load(of.evolution.getSCEV(side), loop.lower_place))
      return true;
  }
  return false;
}

bool always_runs(analyses& of, const dealt_loop& loop) {
  const llvm::BasicBlock* const first = loop.start->getParent();
  auto* node = of.dominators.getNode(loop.iterations->getHeader())->getIDom();
  for (; node != nullptr; node = node->getIDom()) {
    const llvm::Instruction* end = node->getBlock()->getTerminator();
    if (end->getNumSuccessors() > 1) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end);
      if (branch == nullptr || !asks_for_any(of, branch->getCondition(), loop)) return false;
    }
    if (node->getBlock() == first) return true;
  }
  return false;
}

// Whether one of the loop's exits is taken by the thread's numbers.
bool runs_over_range(analyses& of, const dealt_loop& loop, const llvm::Loop* l) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  l->getExitingBlocks(exits);
  return llvm::any_of(exits, [&](const llvm::BasicBlock* block) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    return branch != nullptr && asks_for_any(of, branch->getCondition(), loop);
  });
}

bool asks_for_chunks(const dealt_loop& loop, const llvm::Loop* l) {
  return !loop.is_static && llvm::any_of(loop.lower_place->users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call != nullptr && call_of(*call, "__kmpc_dispatch_next_") && l->contains(call);
  });
}

// Loops behind the call, the outermost ones within the construct.
void look(analyses& of, dealt_loop& loop, llvm::Loop* l) {
  const llvm::BasicBlock* const begin = loop.start->getParent();
  const bool behind = !l->contains(begin) && of.dominators.dominates(begin, l->getHeader());
  if (behind && !asks_for_chunks(loop, l)) {
    if (!runs_over_range(of, loop, l)) return;
    if (loop.iterations != nullptr) loop.why = "the compiler has made several loops of it";
    loop.iterations = l;
    return;
  }
  for (llvm::Loop* inner : *l) look(of, loop, inner);
}

void find_iterations(analyses& of, dealt_loop& loop) {
  if (loop.lower == nullptr || loop.lower_place == nullptr) {
    loop.why = "how it begins is not known";
    return;
  }
  for (llvm::Loop* l : of.loops) look(of, loop, l);
  if (loop.iterations == nullptr) loop.why = "the compiler has changed its shape";
  if (loop.why == nullptr && (loop.iterations->getLoopPredecessor() == nullptr ||
                              loop.iterations->getLoopLatch() == nullptr || !always_runs(of, loop)))
    loop.why = "the compiler has changed its shape";
  if (loop.why != nullptr) loop.iterations = nullptr;
}

// Where the first numbers of the loop's chunks are written to: by the calls behind its start that
// are not behind the start of a further loop. Null: several places.
llvm::Value* place_of_chunks(const analyses& of, const llvm::CallInst* start) {
  llvm::SmallVector<const llvm::CallInst*, 4> starts;
  llvm::SmallVector<const llvm::CallInst*, 4> calls;
  for (const llvm::BasicBlock& block : of.function) {
    for (const llvm::Instruction& i : block) {
      if (const auto* other = call_of(i, "__kmpc_dispatch_init_")) starts.push_back(other);
      if (const auto* call = call_of(i, "__kmpc_dispatch_next_")) calls.push_back(call);
    }
  }
  llvm::Value* place = nullptr;
  for (const llvm::CallInst* call : calls) {
    if (!of.dominators.dominates(start, call)) continue;
    const bool of_another = llvm::any_of(starts, [&](const llvm::CallInst* other) {
      return other != start && of.dominators.dominates(start, other) &&
             of.dominators.dominates(other, call);
    });
    if (of_another) continue;
    llvm::Value* const own = call->getArgOperand(3)->stripPointerCasts();
    if (place != nullptr && place != own) return nullptr;
    place = own;
  }
  return place;
}

}  // namespace

llvm::SmallVector<dealt_loop, 4> find_loops(analyses& of) {
  llvm::SmallVector<dealt_loop, 4> found;
  for (llvm::BasicBlock& block : of.function) {
    for (llvm::Instruction& i : block) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
      if (called == nullptr) continue;
      const llvm::StringRef name = called->getName();
      const bool is_static = name.starts_with("__kmpc_for_static_init_");
      if (!is_static && !name.starts_with("__kmpc_dispatch_init_")) continue;
      const auto* kind = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
      dealt_loop loop;
      loop.start = call;
      loop.is_static = is_static;
      loop.kind = kind != nullptr ? kind->getSExtValue() & ~modifiers : 0;
      if (is_static && (loop.kind != of_static || is_sections(call->getArgOperand(0)))) continue;
      if (is_static) {
        loop.lower_place = call->getArgOperand(4)->stripPointerCasts();
        loop.lower = written_before(of, loop.lower_place, call);
        loop.increment = call->getArgOperand(7);
      } else {
        loop.lower_place = place_of_chunks(of, call);
        loop.lower = call->getArgOperand(3);
        loop.increment = call->getArgOperand(5);
      }
      find_iterations(of, loop);
      found.push_back(loop);
    }
  }
  return found;
}

}  // namespace doall::plugin
