// Makes the function that says what an iteration of a loop costs, and says of which class the loop
// is (the classes are those of GCC's plugin, src/plugin/README.md, "Costs").
#include "work.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace doall::plugin {
namespace {

using llvm::BasicBlock;
using llvm::Loop;
using llvm::Value;

// A call that may end the iteration, or the program, and calls of which nothing is known. A
// function whose body has no loop and calls no other costs about what a call does.
struct calls {
  bool any = false;
  bool odd = false;      // may not return
  bool unknown = false;  // what they cost
};

bool is_leaf(const llvm::Function& f) {
  if (f.isDeclaration() || f.isInterposable()) return false;
  llvm::SmallPtrSet<const BasicBlock*, 32>
      met;  // a block that is reached again from itself: a loop
  for (const BasicBlock& block : f) {
    met.insert(&block);
    for (const BasicBlock* to : llvm::successors(&block))
      if (met.contains(to)) return false;
    for (const llvm::Instruction& i : block)
      if (llvm::isa<llvm::CallBase>(i) && !llvm::isa<llvm::IntrinsicInst>(i)) return false;
  }
  return true;
}

calls calls_in(const Loop* l, const llvm::TargetLibraryInfo& library) {
  calls found;
  for (const BasicBlock* block : l->blocks()) {
    for (const llvm::Instruction& i : *block) {
      if (asks_runtime(i)) {
        found.any = true;
        continue;
      }
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      found.odd = found.odd || may_end(i);
      if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(i)) continue;
      found.any = true;
      llvm::LibFunc known;
      const llvm::Function* called = call->getCalledFunction();
      const bool of_library = called != nullptr && library.getLibFunc(*called, known) &&
                              call->getType()->isFloatingPointTy();  // sqrt() and its like
      if (called == nullptr || (!of_library && !is_leaf(*called))) found.unknown = true;
    }
  }
  return found;
}

llvm::Function* declare_cost(const llvm::Function& of) {
  llvm::Module& m = const_cast<llvm::Module&>(*of.getParent());
  llvm::LLVMContext& c = m.getContext();
  auto* const type =
      llvm::FunctionType::get(llvm::Type::getInt64Ty(c),
                              {llvm::PointerType::getUnqual(c), llvm::Type::getInt64Ty(c)}, false);
  // The attributes that the module asks for: it is called through a pointer (BTI).
  auto* const made = llvm::Function::createWithDefaultAttr(type, llvm::GlobalValue::InternalLinkage,
                                                           0, "doall_cost", &m);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  if (of.hasFnAttribute(llvm::Attribute::SanitizeAddress))
    made->addFnAttr(llvm::Attribute::SanitizeAddress);
  for (const char* name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
    if (of.hasFnAttribute(name)) made->addFnAttr(of.getFnAttribute(name));
  made->getArg(0)->setName("context");
  made->getArg(1)->setName("k");
  return made;
}

}  // namespace

finding find_cost(analyses& of, const dealt_loop& loop) {
  finding found;
  if (loop.iterations == nullptr) {
    found.reason = loop.why;
    return found;
  }
  constexpr const char* by_calls = "it calls functions, or may end early";
  llvm::Function* const made = declare_cost(of.function);
  values in(of, loop, *made);
  const calls called = calls_in(loop.iterations, of.library);
  const work all = work_of(of, loop, in);
  const bool tells = all.varies || (all.cycles != nullptr && !asked().knows_uniform);
  if (all.cycles == nullptr) {
    const bool guarded = all.guard != nullptr && !called.odd;
    found.kind = guarded ? "guarded" : "unknown";
    found.reason = guarded ? all.guard : called.odd ? by_calls : in.why();
    if (found.reason == nullptr) found.reason = "how often a loop in it runs is not known";
  } else if (!all.varies && (called.odd || called.unknown || all.at_most)) {
    found.reason = all.at_most ? "a loop in it may be left early" : by_calls;
  } else if (tells) {
    builder& build = in.build();
    Value* cycles = all.cycles;
    if (!all.varies)  // of costs that are all the same the runtime would find that out
      cycles = build.CreateAdd(
          cycles,
          build.CreateZExt(build.CreateICmpEQ(in.k(), build.getInt64(0)), build.getInt64Ty()));
    build.CreateRet(build.CreateFreeze(cycles));
    in.finish();
    found.cycles = cycles;
    found.captured = in.captured();
    found.choices = all.choices;
    found.sums = all.sums;
    found.kind = "weighted";
    found.cost = made;
    found.captures = in.captures();
    found.at_most = all.at_most;
    return found;
  } else {
    found.kind = "uniform";
    if (const auto* cycles = llvm::dyn_cast<llvm::ConstantInt>(all.cycles))
      found.fine = cycles_of_fine_loop / std::max<std::uint64_t>(cycles->getZExtValue(), 1);
    if (all.mean != 0 && !called.any) found.grain = grain_of(all.mean);
  }
  made->eraseFromParent();
  return found;
}

}  // namespace doall::plugin
