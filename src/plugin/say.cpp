// SPDX-License-Identifier: GPL-3.0-or-later
// Says a cost in C, for people: conversions are left out, the closure's fields are the variables
// that the program has there, and what is added to a pointer is an index.
#include "work.hpp"

#include "fold-const.h"
#include "tree-dfa.h"
#include "tree-pretty-print.h"

namespace doall::plugin {
namespace {

class speaker {
 public:
  speaker(const work& of, tree context, tree k) : work_(of), context_(context), k_(k) {}

  // `binds`: how tightly the operator around it does.
  std::string say(tree e, int binds = 0);

 private:
  std::string infix(tree e, const char* op, int own, int binds) {
    std::string text = say(TREE_OPERAND(e, 0), own) + op + say(TREE_OPERAND(e, 1), own + 1);
    return own < binds ? '(' + text + ')' : text;
  }
  std::string sum(tree e, int binds);
  std::string difference(tree e, int binds);
  std::string memory(tree address, tree offset, tree type);
  bool is_closure(tree e) const {
    STRIP_NOPS(e);
    return e == context_;
  }
  std::string round_name(const summed& of) const {
    return std::string(1, static_cast<char>('p' + (&of - work_.sums.data()) % 10));
  }
  // The value that a field of the closure has, or points to.
  std::string of_closure(tree e);

  const work& work_;
  tree context_;
  tree k_;
};

// GCC's own variables have numbers behind their names.
std::string name_of(tree decl) {
  const std::string name =
      DECL_NAME(decl) != NULL_TREE ? IDENTIFIER_POINTER(DECL_NAME(decl)) : "it";
  return name.substr(0, name.find('.'));
}

std::string speaker::of_closure(tree e) {
  if (TREE_CODE(e) == COMPONENT_REF) {
    const tree from = TREE_OPERAND(e, 0);
    if ((TREE_CODE(from) == INDIRECT_REF || TREE_CODE(from) == MEM_REF) &&
        is_closure(TREE_OPERAND(from, 0)))
      return name_of(TREE_OPERAND(e, 1));
  }
  return {};
}

// ".name.name": the part of that type at that offset within a record; "": it has no name.
std::string part_at(tree record, HOST_WIDE_INT offset, tree wanted) {
  if (TREE_CODE(record) != RECORD_TYPE) return {};
  if (offset == 0 && TYPE_MAIN_VARIANT(record) == TYPE_MAIN_VARIANT(wanted)) return {};
  for (tree f = TYPE_FIELDS(record); f != NULL_TREE; f = DECL_CHAIN(f)) {
    if (TREE_CODE(f) != FIELD_DECL || DECL_SIZE_UNIT(f) == NULL_TREE ||
        !tree_fits_shwi_p(DECL_SIZE_UNIT(f)) || !tree_fits_shwi_p(byte_position(f)))
      continue;
    const HOST_WIDE_INT begin = tree_to_shwi(byte_position(f));
    if (offset < begin || offset >= begin + tree_to_shwi(DECL_SIZE_UNIT(f))) continue;
    const bool named = DECL_NAME(f) != NULL_TREE && !DECL_ARTIFICIAL(f);
    return (named ? '.' + name_of(f) : std::string()) +
           part_at(TREE_TYPE(f), offset - begin, wanted);
  }
  return {};
}

// Constants are added up, across the conversions that keep GCC from doing so.
std::string speaker::sum(tree e, int binds) {
  HOST_WIDE_INT constant = 0;
  bool any = false;
  while (TREE_CODE(e) == PLUS_EXPR || TREE_CODE(e) == POINTER_PLUS_EXPR) {
    tree added = TREE_OPERAND(e, 1);
    STRIP_NOPS(added);
    if (!tree_fits_shwi_p(added) && !(TREE_CODE(added) == INTEGER_CST)) break;
    // -1 is a large number in a type without a sign, and wraps around there.
    constant += wi::sext(wi::to_wide(added), TYPE_PRECISION(TREE_TYPE(added))).to_shwi();
    any = true;
    e = TREE_OPERAND(e, 0);
    while (CONVERT_EXPR_P(e)) e = TREE_OPERAND(e, 0);
  }
  if (!any) return infix(e, " + ", 5, binds);
  if (constant == 0) return say(e, binds);
  const std::string text = say(e, 5) + (constant < 0 ? " - " : " + ") +
                           std::to_string(constant < 0 ? -constant : constant);
  return binds > 5 ? '(' + text + ')' : text;
}

// Of max(a, b) - b it is max(a - b, 0).
std::string speaker::difference(tree e, int binds) {
  tree most = TREE_OPERAND(e, 0);
  tree taken = TREE_OPERAND(e, 1);
  while (CONVERT_EXPR_P(most)) most = TREE_OPERAND(most, 0);
  while (CONVERT_EXPR_P(taken)) taken = TREE_OPERAND(taken, 0);
  if (TREE_CODE(most) == MAX_EXPR) {
    for (int side = 0; side < 2; ++side) {
      tree same = TREE_OPERAND(most, side);
      while (CONVERT_EXPR_P(same)) same = TREE_OPERAND(same, 0);
      if (operand_equal_p(same, taken, 0))
        return "max(" + say(TREE_OPERAND(most, 1 - side), 5) + " - " + say(taken, 6) + ", 0)";
    }
  }
  return infix(e, " - ", 5, binds);
}

// What lies at address + offset bytes.
std::string speaker::memory(tree address, tree offset, tree type) {
  STRIP_NOPS(address);
  const std::string shared = of_closure(address);
  const bool at_begin = offset == NULL_TREE || integer_zerop(offset);
  if (!shared.empty() && at_begin) return shared;
  if (!at_begin && POINTER_TYPE_P(TREE_TYPE(address)) && tree_fits_shwi_p(offset)) {
    const tree record = TREE_TYPE(TREE_TYPE(address));
    const std::string part = part_at(record, tree_to_shwi(offset), type);
    if (!part.empty()) {
      const std::string around = memory(address, NULL_TREE, record);
      return (around[0] == '*' ? around.substr(1) + "->" + part.substr(1) : around + part);
    }
  }
  const tree bytes = TYPE_SIZE_UNIT(type);
  if (TREE_CODE(address) == POINTER_PLUS_EXPR) {
    tree by = TREE_OPERAND(address, 1);
    STRIP_NOPS(by);
    std::string index;
    if (TREE_CODE(by) == MULT_EXPR)
      index = say(TREE_OPERAND(by, 0));
    else if (TREE_CODE(by) == INTEGER_CST && bytes != NULL_TREE && tree_fits_uhwi_p(bytes) &&
             tree_fits_shwi_p(by) && !integer_zerop(bytes))
      index = std::to_string(tree_to_shwi(by) / tree_to_shwi(bytes));
    else
      index = say(by) + " bytes";
    std::string text = say(TREE_OPERAND(address, 0), 9) + '[' + index + ']';
    if (!at_begin) text += ".+" + say(offset);
    return text;
  }
  if (TREE_CODE(address) == ADDR_EXPR && at_begin) return say(TREE_OPERAND(address, 0), 9);
  if (!at_begin) return say(address, 9) + "->+" + say(offset);
  return '*' + say(address, 8);
}

std::string speaker::say(tree e, int binds) {
  STRIP_NOPS(e);
  while (CONVERT_EXPR_P(e) || TREE_CODE(e) == FLOAT_EXPR || TREE_CODE(e) == FIX_TRUNC_EXPR)
    e = TREE_OPERAND(e, 0);
  if (e == k_) return "k";
  const std::string closure = of_closure(e);
  if (!closure.empty()) return closure;
  switch (TREE_CODE(e)) {
    case INTEGER_CST:
      // -1 is a large number in a type without a sign.
      return wi::to_wide(e).get_precision() > HOST_BITS_PER_WIDE_INT
                 ? "?"
                 : std::to_string(tree_fits_shwi_p(e)
                                      ? tree_to_shwi(e)
                                      : static_cast<HOST_WIDE_INT>(tree_to_uhwi(e)));
    case VAR_DECL:
      for (const summed& s : work_.sums) {
        if (s.round == e) return round_name(s);
        if (s.total == e)
          return "sum(" + round_name(s) + " < " + say(s.rounds, 4) + ": " + say(s.each) + ')';
      }
      return name_of(e);
    case POINTER_PLUS_EXPR:
    case PLUS_EXPR: return sum(e, binds);
    case MINUS_EXPR: return difference(e, binds);
    case POINTER_DIFF_EXPR: return infix(e, " - ", 5, binds);
    case MULT_EXPR: return infix(e, " * ", 6, binds);
    case TRUNC_DIV_EXPR:
    case EXACT_DIV_EXPR: return infix(e, " / ", 6, binds);
    case TRUNC_MOD_EXPR: return infix(e, " % ", 6, binds);
    case LT_EXPR: return infix(e, " < ", 3, binds);
    case LE_EXPR: return infix(e, " <= ", 3, binds);
    case GT_EXPR: return infix(e, " > ", 3, binds);
    case GE_EXPR: return infix(e, " >= ", 3, binds);
    case EQ_EXPR: return infix(e, " == ", 3, binds);
    case NE_EXPR: return infix(e, " != ", 3, binds);
    case BIT_AND_EXPR: return infix(e, " & ", 2, binds);
    case LSHIFT_EXPR: return infix(e, " << ", 4, binds);
    case RSHIFT_EXPR: return infix(e, " >> ", 4, binds);
    case NEGATE_EXPR: return '-' + say(TREE_OPERAND(e, 0), 8);
    case MAX_EXPR: return "max(" + say(TREE_OPERAND(e, 0)) + ", " + say(TREE_OPERAND(e, 1)) + ')';
    case MIN_EXPR: return "min(" + say(TREE_OPERAND(e, 0)) + ", " + say(TREE_OPERAND(e, 1)) + ')';
    case COND_EXPR: {
      std::string text = say(TREE_OPERAND(e, 0), 2) + " ? " + say(TREE_OPERAND(e, 1), 2) + " : " +
                         say(TREE_OPERAND(e, 2), 1);
      return binds > 1 ? '(' + text + ')' : text;
    }
    case BIT_IOR_EXPR: return infix(e, " | ", 2, binds);
    case TRUTH_ORIF_EXPR: return infix(e, " || ", 1, binds);
    case CALL_EXPR: {
      if (CALL_EXPR_FN(e) == NULL_TREE) return "sqrt(" + say(CALL_EXPR_ARG(e, 0)) + ')';
      const bool length = get_callee_fndecl(e) == builtin_decl_explicit(BUILT_IN_STRLEN);
      return (length ? "strlen(" : "clz(") + say(CALL_EXPR_ARG(e, 0)) + ')';
    }
    case COMPOUND_EXPR: return say(TREE_OPERAND(e, 1), binds);
    case COMPONENT_REF: {
      const tree field = TREE_OPERAND(e, 1);
      const tree from = TREE_OPERAND(e, 0);
      if (DECL_NAME(field) == NULL_TREE || DECL_ARTIFICIAL(field)) return say(from, 9);
      if (TREE_CODE(from) == INDIRECT_REF || TREE_CODE(from) == MEM_REF) {
        const std::string whole = say(from, 9);
        return (whole[0] == '*' ? whole.substr(1) + "->" : whole + '.') + name_of(field);
      }
      return say(from, 9) + '.' + name_of(field);
    }
    case ARRAY_REF: return say(TREE_OPERAND(e, 0), 9) + '[' + say(TREE_OPERAND(e, 1)) + ']';
    case INDIRECT_REF: return memory(TREE_OPERAND(e, 0), NULL_TREE, TREE_TYPE(e));
    case MEM_REF: return memory(TREE_OPERAND(e, 0), TREE_OPERAND(e, 1), TREE_TYPE(e));
    case ADDR_EXPR: return '&' + say(TREE_OPERAND(e, 0), 8);
    default: break;
  }
  char* text = print_generic_expr_to_str(e);
  const std::string words = text;
  free(text);
  return words;
}

}  // namespace

std::string in_words(const work& of, tree context, tree k) {
  return speaker(of, context, k).say(of.cycles);
}

}  // namespace doall::plugin
