// What the files of the pass share: its options, and what it finds of a loop.
#pragma once

#include "plugin/api_table.hpp"
#include "plugin/rules.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>

namespace doall::plugin {

// What the command line asks for (-mllvm -doall-...).
struct options {
  bool steers_static = false;  // static loops of one region may have unlike blocks (barriers.cpp)
  bool explains = false;       // what was found of each loop, on standard output
  price_table price;
  bool keeps = true;            // COWS's Opt1: sums of costs are kept for the next run
  bool knows_uniform = true;    // Opt2: loops whose iterations all cost the same need no sums
  bool respects_guards = true;  // Opt3: of work under a condition no costs are told
};
const options& asked();

// The analyses of the function that has the loop.
struct analyses {
  llvm::Function& function;
  llvm::LoopInfo& loops;
  llvm::DominatorTree& dominators;
  llvm::PostDominatorTree& post_dominators;
  llvm::ScalarEvolution& evolution;
  llvm::AAResults& aliases;
  const llvm::TargetLibraryInfo& library;
};

// Its argument is a place in the source.
inline constexpr llvm::StringRef thread_number = "__kmpc_global_thread_num";

// Whether the call begins a parallel region, by a function made of it (its third argument).
inline bool begins_region(const llvm::CallBase& call) {
  const llvm::Function* called = call.getCalledFunction();
  return called != nullptr && called->getName() == "__kmpc_fork_call";
}

// Whether it is one of the functions that OpenMP's runtime has for programs.
inline bool is_of_api(const llvm::Function& f) {
  llvm::StringRef name = f.getName();
  name.consume_back("_");  // as Fortran has them
  return f.isDeclaration() && is_api_name({name.data(), name.size()});
}

// Whether the call only asks the runtime a question: it returns, and writes nothing but the places
// that it is passed.
inline bool asks_runtime(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
  if (called == nullptr || !called->isDeclaration()) return false;
  const llvm::StringRef name = called->getName();
  return name == thread_number ||
         (is_of_api(*called) && (name.starts_with("omp_get_") || name.starts_with("omp_in_")));
}

// Whether the program may write something there.
inline bool may_write(const llvm::Instruction& i) {
  if (!i.mayWriteToMemory()) return false;
  if (!asks_runtime(i)) return true;
  const auto& call = llvm::cast<llvm::CallBase>(i);
  return call.getCalledFunction()->getName() != thread_number &&
         llvm::any_of(call.args(),
                      [](const llvm::Use& argument) { return argument->getType()->isPointerTy(); });
}

// Whether the program may end there, or not go on: what comes behind it may never come.
inline bool may_end(const llvm::Instruction& i) {
  if (i.isTerminator() && !llvm::isa<llvm::CallBase>(i)) return false;
  return !asks_runtime(i) && !llvm::isGuaranteedToTransferExecutionToSuccessor(&i);
}

// A worksharing loop: the call that begins it, and the loop over the range that a thread gets.
struct dealt_loop {
  llvm::CallInst* start = nullptr;  // of __kmpc_for_static_init_* or __kmpc_dispatch_init_*
  bool is_static = false;
  std::int64_t kind = 0;               // its schedule, as the call has it
  llvm::Value* lower_place = nullptr;  // where the thread's first number is written to
  llvm::Value* lower = nullptr;        // the loop's own first number, before the call
  llvm::Value* increment = nullptr;    // of its numbers
  llvm::Loop* iterations = nullptr;    // null: its shape is not known
  const char* why = nullptr;           // then
  const char* keeps_blocks = nullptr;  // another loop may rely on its blocks (barriers.cpp)
};

// The loops that the function begins, but for chunked static ones and sections.
llvm::SmallVector<dealt_loop, 4> find_loops(analyses& of);

// Says of static loops that may meet others without a barrier between them.
void find_pairs(const analyses& of, llvm::SmallVectorImpl<dealt_loop>& loops);

// In a cost function, for whoever says it in words: a choice by a condition, and a sum over the
// rounds of a loop.
struct choice {
  llvm::Value* condition;
  llvm::Value* yes;
  llvm::Value* no;
};
struct summed {
  llvm::Value* round;
  llvm::Value* rounds;
  llvm::Value* each;
};

// What was found of its iterations' costs.
struct finding {
  std::string kind = "unknown";    // uniform, weighted, guarded, or unknown
  const char* reason = nullptr;    // of the last two
  llvm::Function* cost = nullptr;  // of a weighted one: uint64_t cost(const void* context, k)
  llvm::SmallVector<llvm::Value*, 8> captures;  // values that are the fields of its context
  bool at_most = false;                         // a loop inside may be left early
  std::uint64_t grain = 1;
  std::uint64_t fine = 0;

  llvm::Value* cycles = nullptr;  // what the cost function returns, and of what that is made
  llvm::SmallVector<llvm::Instruction*, 8> captured;
  llvm::DenseMap<llvm::Value*, choice> choices;
  llvm::DenseMap<llvm::Value*, summed> sums;
};

llvm::StructType* type_of_context(llvm::LLVMContext& c, llvm::ArrayRef<llvm::Value*> captures);

finding find_cost(analyses& of, const dealt_loop& loop);

// The cost as a formula, for people.
std::string in_words(const finding& found);

// Lets the loop tell the runtime what was found, before it begins.
void hand_over(const dealt_loop& loop, const finding& found);

// The source's file and line of the call that begins the loop; line 0: not known.
struct source_line {
  std::string file;
  unsigned line = 0;
};
source_line line_of(const llvm::CallInst& start);

}  // namespace doall::plugin
