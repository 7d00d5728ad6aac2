// SPDX-License-Identifier: GPL-3.0-or-later
#include "note.hpp"

#include "cgraph.h"
#include "file-prefix-map.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "stringpool.h"
#include "varasm.h"

#include <cstring>
#include <map>

namespace doall::plugin {
namespace {

struct field {
  const char* name;
  tree type;
};

tree characters() {
  return build_pointer_type(build_qualified_type(char_type_node, TYPE_QUAL_CONST));
}

// struct compiled_loop. Made once, and kept by the variables that have it.
tree note_type() {
  const field fields[] = {
      {"size", unsigned_type_node},
      {"line", unsigned_type_node},
      {"file", characters()},
      {"schedule", characters()},
      {"kept", long_long_unsigned_type_node},
      {"facts", long_long_unsigned_type_node},
  };
  tree type = make_node(RECORD_TYPE);
  tree last = NULL_TREE;
  for (const field& f : fields) {
    tree decl = build_decl(BUILTINS_LOCATION, FIELD_DECL, get_identifier(f.name), f.type);
    DECL_CONTEXT(decl) = type;
    if (last == NULL_TREE)
      TYPE_FIELDS(type) = decl;
    else
      DECL_CHAIN(last) = decl;
    last = decl;
  }
  TYPE_NAME(type) = get_identifier("doall_compiled_loop");
  TYPE_ARTIFICIAL(type) = 1;
  layout_type(type);
  return type;
}

// The loops whose notes were made, by the variable.
std::map<unsigned, unsigned> noted;

tree literal(const char* text) {
  if (text == nullptr) return build_zero_cst(characters());
  return build_string_literal(static_cast<int>(std::strlen(text)) + 1, text);
}

// What is known before its costs are.
unsigned HOST_WIDE_INT lasting_facts(const loop_facts& loop) {
  return loop.counts | (loop.keeps != nullptr ? keeps_blocks : 0);
}

}  // namespace

tree address_of_note(const loop_facts& loop) {
  const expanded_location at = expand_location(loop.place);
  tree type = note_type();
  tree values[] = {
      build_int_cst(unsigned_type_node, tree_to_shwi(TYPE_SIZE_UNIT(type))),
      build_int_cst(unsigned_type_node, at.line),
      literal(at.file == nullptr ? at.file : remap_macro_filename(at.file)),
      literal(loop.name),
      build_zero_cst(long_long_unsigned_type_node),
      build_int_cst(long_long_unsigned_type_node,
                    lasting_facts(loop)),  // until costs.cpp knows more
  };
  vec<constructor_elt, va_gc>* all = nullptr;
  size_t i = 0;
  for (tree f = TYPE_FIELDS(type); f != NULL_TREE; f = DECL_CHAIN(f)) {
    CONSTRUCTOR_APPEND_ELT(all, f, fold_convert(TREE_TYPE(f), values[i++]));
  }
  tree variable = build_decl(loop.place, VAR_DECL, create_tmp_var_name("doall_loop"), type);
  TREE_STATIC(variable) = 1;
  TREE_USED(variable) = 1;
  DECL_ARTIFICIAL(variable) = 1;
  DECL_IGNORED_P(variable) = 1;
  DECL_PRESERVE_P(variable) = 1;
  DECL_INITIAL(variable) = build_constructor(type, all);
  TREE_STATIC(DECL_INITIAL(variable)) = 1;
  // A linker lays out a section of a variable in steps of its alignment.
  SET_DECL_ALIGN(variable, BITS_PER_UNIT * sizeof(long long));
  DECL_USER_ALIGN(variable) = 1;
  set_decl_section_name(variable, notes_section);
  noted[DECL_UID(variable)] = static_cast<unsigned>(&loop - loops.data());
  varpool_node::finalize_decl(variable);
  return build_fold_addr_expr(variable);
}

loop_facts* loop_of_note(tree address) {
  if (TREE_CODE(address) != ADDR_EXPR || !VAR_P(TREE_OPERAND(address, 0))) return nullptr;
  const auto found = noted.find(DECL_UID(TREE_OPERAND(address, 0)));
  return found == noted.end() ? nullptr : &loops[found->second];
}

void note_facts(tree address, unsigned HOST_WIDE_INT facts) {
  const tree values = DECL_INITIAL(TREE_OPERAND(address, 0));
  vec<constructor_elt, va_gc>* all = CONSTRUCTOR_ELTS(values);
  (*all)[all->length() - 1].value =
      build_int_cst(long_long_unsigned_type_node, facts | lasting_facts(*loop_of_note(address)));
}

}  // namespace doall::plugin
