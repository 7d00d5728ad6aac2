// Says values of an iteration again, in the function that says what the iteration costs.
//
// The value is the one that it would have in iteration k if a thread's range began there. So the
// first number that the thread gets is the loop's own plus k increments, and a value that changes
// from one iteration to the next has what it has in the first. Values that are there before the
// loop begins are captured: fields of the function's context.
//
// The function may neither fault nor write. A load is in it only if the program makes it, too, in
// iteration k, before it comes to the block that is being looked at (`at`), and if no call in the
// loop may end the program before. What the iterations may have changed meanwhile, by an alias look
// at all that the loop writes, is stale: right for sums and products, but not in an address, nor
// as the number of rounds over which loads are summed up. Divisors of 0 count as 1. Operations lose
// what LLVM has promised of them (no overflow, exact): of stale values it need not hold.
#pragma once

#include "pass.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/IRBuilder.h>

#include <map>

namespace doall::plugin {

using builder = llvm::IRBuilder<llvm::InstSimplifyFolder>;

// A value in the function; null: it cannot be said.
struct said {
  llvm::Value* value = nullptr;
  bool stale = false;
  explicit operator bool() const { return value != nullptr; }
};

class values {
 public:
  values(analyses& of, const dealt_loop& loop, llvm::Function& function);

  builder& build() { return build_; }
  llvm::Value* k() const { return function_.getArg(1); }
  bool depends_on_k(llvm::Value* value);
  bool may_end_early() const { return !ends_.empty(); }  // the program, in an iteration

  said say(llvm::Value* value);
  said say(const llvm::SCEV* value);

  // The number of the round of a loop inside, while it is summed up over.
  void number(const llvm::Loop* l, llvm::Value* round) { rounds_[l] = round; }
  void number_no_more(const llvm::Loop* l) { rounds_.erase(l); }

  // The last block that iteration k (and each numbered round) is known to come to.
  const llvm::BasicBlock* at = nullptr;

  said refuse(const char* why);
  const char* why() const { return why_; }
  void forget_why() { why_ = nullptr; }

  const llvm::SmallVector<llvm::Value*, 8>& captures() const { return captures_; }
  // When all is said: the captured values' places in the context.
  void finish();
  const llvm::SmallVector<llvm::Instruction*, 8>& captured() const { return captured_; }

 private:
  llvm::Value* capture(llvm::Value* value);
  said say_instruction(llvm::Instruction* i);
  said say_load(llvm::LoadInst* load);
  said say_made(const llvm::SCEV* s);
  said say_recurrence(const llvm::SCEVAddRecExpr* s);
  said say_all(const llvm::SCEV* s);
  bool may_change(const llvm::LoadInst* load);
  bool is_surely_read(const llvm::LoadInst* load) const;
  bool is_before(const llvm::Value* value) const;
  llvm::Value* safe_divisor(llvm::Value* divisor);

  analyses& of_;
  const dealt_loop& loop_;
  llvm::Function& function_;
  builder build_;
  llvm::SmallVector<llvm::Value*, 8> captures_;
  llvm::SmallVector<llvm::Instruction*, 8> captured_;  // their places in the function
  llvm::SmallVector<llvm::Instruction*, 32> writers_;  // in the loop
  llvm::SmallVector<llvm::Instruction*, 8> ends_;      // in it: the program may end there
  llvm::DenseMap<const llvm::Loop*, llvm::Value*> rounds_;
  std::map<std::pair<const void*, const llvm::BasicBlock*>, said> known_;
  const char* why_ = nullptr;
  unsigned depth_ = 0;
  unsigned steps_ = 0;
};

// How often a loop inside turns back: its rounds but the last. Not exact, at_most becomes true.
// `certain`: the program comes to the loop.
said turns_of(analyses& of, values& in, llvm::Loop* l, bool certain, bool& at_most);

}  // namespace doall::plugin
