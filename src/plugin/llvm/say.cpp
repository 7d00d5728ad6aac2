// Says a cost as a formula of C, for people: conversions are left out, sums are in order, and what
// is added to a pointer is an index.
#include "pass.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <map>

namespace doall::plugin {
namespace {

using llvm::Value;

// Of a formula: a value that is used twice is written twice. A longer one is written as "...".
constexpr unsigned most_parts = 1000;

// A sum: terms with their factors, and a constant.
struct sum {
  std::map<std::string, std::int64_t> terms;
  std::int64_t constant = 0;

  bool is_divisible(std::int64_t by) const {
    if (constant % by != 0) return false;
    return llvm::all_of(terms, [&](const auto& term) { return term.second % by == 0; });
  }
  void divide(std::int64_t by) {
    constant /= by;
    for (auto& [text, factor] : terms) factor /= by;
  }
  std::string text() const {
    std::string all;
    const auto add = [&](std::int64_t number, const std::string& what) {
      if (!all.empty())
        all += number < 0 ? " - " : " + ";
      else if (number < 0)
        all += '-';
      all += what;
    };
    for (const auto& [term, factor] : terms) {
      const std::int64_t size = factor < 0 ? -factor : factor;
      if (size != 0) add(factor, size == 1 ? term : term + " * " + std::to_string(size));
    }
    if (constant != 0 || all.empty())
      add(constant, std::to_string(constant < 0 ? -constant : constant));
    return all;
  }
  // Put in the place of one operand.
  std::string operand() const {
    const bool one = (terms.empty() && constant >= 0) ||
                     (terms.size() == 1 && constant == 0 && terms.begin()->second == 1);
    return one ? text() : '(' + text() + ')';
  }
};

class speaker {
 public:
  explicit speaker(const finding& of) : of_(of) {
    for (std::size_t i = 0; i < of.captured.size(); ++i)
      names_[of.captured[i]] = name_of(of.captures[i], i);
  }
  std::string formula(Value* v) {
    std::string all = say(v);
    return parts_ > most_parts ? "..." : all;
  }

 private:
  std::string say(Value* v) { return sum_of(v).text(); }
  // A value of the region, or what its closure points to.
  static std::string name_of(Value* v, std::size_t i) {
    while (auto* cast = llvm::dyn_cast<llvm::CastInst>(v)) v = cast->getOperand(0);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(v); load != nullptr && !load->hasName())
      v = load->getPointerOperand();
    return v->hasName() ? v->getName().str() : "v" + std::to_string(i);
  }
  sum sum_of(Value* v) {
    sum s;
    add(s, v, 1);
    return s;
  }
  void add(sum& to, Value* v, std::int64_t factor);
  std::string atom(Value* v);
  std::string infix(Value* a, const std::string& op, Value* b) {
    return '(' + sum_of(a).operand() + ' ' + op + ' ' + sum_of(b).operand() + ')';
  }

  // Without what keeps it from being 0.
  static Value* divisor(const llvm::BinaryOperator* of) {
    Value* v = of->getOperand(1);
    if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(v)) v = freeze->getOperand(0);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(v)) return select->getFalseValue();
    return v;
  }

  const finding& of_;
  std::map<Value*, std::string> names_;
  unsigned parts_ = 0;
};

void speaker::add(sum& to, Value* v, std::int64_t factor) {
  if (++parts_ > most_parts) return;
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v)) {
    to.constant += factor * (c->getBitWidth() <= 64 ? c->getSExtValue() : 0);
    return;
  }
  if (names_.count(v) == 0 && of_.sums.count(v) == 0) {
    if (llvm::isa<llvm::CastInst>(v) || llvm::isa<llvm::FreezeInst>(v))
      return add(to, llvm::cast<llvm::Instruction>(v)->getOperand(0), factor);
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(v);
        gep != nullptr && gep->getNumIndices() == 1 &&
        gep->getSourceElementType()->isIntegerTy(8)) {
      add(to, gep->getPointerOperand(), factor);
      return add(to, gep->getOperand(1), factor);
    }
    if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(v)) {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(op->getOperand(1));
      if (op->getOpcode() == llvm::Instruction::Add) {
        add(to, op->getOperand(0), factor);
        return add(to, op->getOperand(1), factor);
      }
      if (op->getOpcode() == llvm::Instruction::Sub) {
        add(to, op->getOperand(0), factor);
        return add(to, op->getOperand(1), -factor);
      }
      if (op->getOpcode() == llvm::Instruction::Mul && by != nullptr)
        return add(to, op->getOperand(0), factor * by->getSExtValue());
      if (op->getOpcode() == llvm::Instruction::Mul &&
          llvm::isa<llvm::ConstantInt>(op->getOperand(0)))
        return add(to, op->getOperand(1),
                   factor * llvm::cast<llvm::ConstantInt>(op->getOperand(0))->getSExtValue());
      if (op->getOpcode() == llvm::Instruction::Shl && by != nullptr && by->getZExtValue() < 32)
        return add(to, op->getOperand(0), factor << by->getZExtValue());
    }
    // Rounds are limited to a number that none has.
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(v);
        call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::umin &&
        llvm::isa<llvm::ConstantInt>(call->getArgOperand(1)))
      return add(to, call->getArgOperand(0), factor);
  }
  to.terms[atom(v)] += factor;
}

std::string speaker::atom(Value* v) {
  if (const auto named = names_.find(v); named != names_.end()) return named->second;
  if (v == of_.cost->getArg(1)) return "k";
  if (const auto s = of_.sums.find(v); s != of_.sums.end()) {
    const std::string round(1, static_cast<char>('p' + names_.size() % 10));
    names_[s->second.round] = round;
    return "sum(" + round + " < " + say(s->second.rounds) + ": " + say(s->second.each) + ')';
  }
  if (const auto c = of_.choices.find(v); c != of_.choices.end())
    return '(' + say(c->second.condition) + " ? " + say(c->second.yes) + " : " + say(c->second.no) +
           ')';
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(v)) {
    Value* base = load->getPointerOperand();
    while (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(base))
      base = gep->getPointerOperand();
    sum index = sum_of(load->getPointerOperand());
    const std::string of = base->hasName() && llvm::isa<llvm::GlobalValue>(base)
                               ? base->getName().str()
                               : sum_of(base).operand();
    index.terms.erase(of);
    const auto bytes = static_cast<std::int64_t>(
        load->getModule()->getDataLayout().getTypeAllocSize(load->getType()).getFixedValue());
    if (!index.is_divisible(bytes)) return "*(" + of + " + " + index.text() + " bytes)";
    index.divide(bytes);
    const auto captured = llvm::find(of_.captured, base);
    const bool of_closure =
        captured != of_.captured.end() &&
        llvm::isa<llvm::Argument>(of_.captures[captured - of_.captured.begin()]);
    if (of_closure && index.text() == "0") return of;  // a closure has the places of variables
    return of + '[' + index.text() + ']';
  }
  if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(v)) {
    std::string op = llvm::CmpInst::getPredicateName(compare->getPredicate()).str();
    for (const auto& [name, sign] : {std::pair{"lt", "<"},
                                     {"le", "<="},
                                     {"gt", ">"},
                                     {"ge", ">="},
                                     {"eq", "=="},
                                     {"ne", "!="}})
      if (llvm::StringRef(op).ends_with(name)) op = sign;
    return sum_of(compare->getOperand(0)).operand() + ' ' + op + ' ' +
           sum_of(compare->getOperand(1)).operand();
  }
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(v)) {
    llvm::StringRef name = call->getCalledFunction()->getName();
    name.consume_front("llvm.");
    name = name.split('.').first;
    if (name.size() == 4 && (name.ends_with("max") || name.ends_with("min")))
      name = name.drop_front();
    std::string all = name.str() + '(' + say(call->getArgOperand(0));
    if (call->arg_size() > 1 && !call->getArgOperand(1)->getType()->isIntegerTy(1))
      all += ", " + say(call->getArgOperand(1));
    return all + ')';
  }
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(v))
    return '(' + say(select->getCondition()) + " ? " + say(select->getTrueValue()) + " : " +
           say(select->getFalseValue()) + ')';
  if (auto* op = llvm::dyn_cast<llvm::BinaryOperator>(v)) {
    switch (op->getOpcode()) {
      case llvm::Instruction::Mul: return infix(op->getOperand(0), "*", op->getOperand(1));
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv: return infix(op->getOperand(0), "/", divisor(op));
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem: return infix(op->getOperand(0), "%", divisor(op));
      default: return infix(op->getOperand(0), op->getOpcodeName(), op->getOperand(1));
    }
  }
  return v->hasName() ? v->getName().str() : "?";
}

}  // namespace

std::string in_words(const finding& found) { return speaker(found).formula(found.cycles); }

}  // namespace doall::plugin
