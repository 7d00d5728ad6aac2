// SPDX-License-Identifier: GPL-3.0-or-later
// What a steered loop calls: a few small functions, once in each object that has such a loop.
//
//   begin  where doall is, its doall_loop_start. Else the thread's block, computed as GCC's code
//          does: the first N mod P threads get one iteration more.
//   next   where doall is, GOMP_loop_runtime_next; else there is none
//   end    where doall is, GOMP_loop_end; else a barrier. Without one: nothing
//
// Whether doall is there says the address of its function, a weak one that is looked up through the
// table of offsets: null where no library defines it, and not where one is preloaded. It is the
// same for the whole life of the process, so the calls of one loop agree.
//
// So a loop costs on plain libgomp what GCC's costs, and two calls. (GOMP_loop_start of libgomp
// sets up a work share under a lock, 500 ns.) Calls to these have fewer arguments than the
// runtime's, and the objects are smaller.
//
// They are text for the assembler, since each function that GCC compiles takes it a millisecond: of
// a file of one loop, that was a tenth of the time. Each is a weak and hidden symbol in a group of
// its own, so that a program has one of it: one that means something else needs another name. The
// condition around it is for LTO, which may put the text of several files into one. On other
// processors than x86-64 there are none, and loops begin by GOMP_loop_start (hand_over.cpp); nor
// under LTO in a file with code for devices, of which GCC 12 loses such text.
#include "entries.hpp"

#include "cgraph.h"
#include "context.h"
#include "made_function.hpp"
#include "note.hpp"

namespace doall::plugin {
namespace {

entries made;

tree bytes() { return build_pointer_type(char_type_node); }  // may be of any type

#ifdef __x86_64__

bool have_entries() {
  return TARGET_64BIT && POINTER_SIZE == 64 && TYPE_PRECISION(long_integer_type_node) == 64 &&
         (ix86_cmodel == CM_SMALL || ix86_cmodel == CM_SMALL_PIC) &&
         !(flag_generate_lto && g->have_offload);
}

// Instructions of a function that first asks whether doall is there, and goes on at 1 if not.
#define WHERE_DOALL_IS                           \
  ".weak doall_loop_start\n"                     \
  "\tcmpq $0, doall_loop_start@GOTPCREL(%rip)\n" \
  "\tje 1f\n"

#define PUSHED(what) "\tpushq " what "\n\t.cfi_adjust_cfa_offset 8\n"
#define SAVED(of) PUSHED("%" of) "\t.cfi_rel_offset %" of ", 0\n"
#define RESTORED(of) "\tpopq %" of "\n\t.cfi_adjust_cfa_offset -8\n"

// note.hpp
#define OFFSET_OF_FACTS "32"
#define COUNTS_IN_ULL "16"
#define COUNTS_DOWN "32"
static_assert(offset_of_facts == 32 && counts_in_ull == 16 && counts_down == 32);

// Its arguments: begin, end, step, first and last range's places, note; context and cost on the
// stack. doall_loop_start has one more, where the loop is.
constexpr const char* begin_text =
    WHERE_DOALL_IS
    PUSHED("(%rsp)")
    PUSHED("24(%rsp)")
    PUSHED("24(%rsp)")
    "\tcall *doall_loop_start@GOTPCREL(%rip)\n"
    "\taddq $24, %rsp\n"
    "\t.cfi_adjust_cfa_offset -24\n"
    "\tret\n"
    "1:\n"
    SAVED("rbx")
    SAVED("rbp")
    SAVED("r12")
    SAVED("r13")
    SAVED("r14")
    SAVED("r15")
    "\tsubq $8, %rsp\n"
    "\t.cfi_adjust_cfa_offset 8\n"
    "\tmovq %rdi, %rbx\n"  // begin
    "\tmovq %rsi, %rbp\n"  // end
    "\tmovq %rdx, %r12\n"  // step
    "\tmovq %rcx, %r13\n"  // the place of the range's first iteration
    "\tmovq %r8, %r14\n"   // of its end
    // r15 = how many iterations; from r10 to rax by r11, upwards.
    "\tmovq %rdi, %r10\n"
    "\tmovq %rsi, %rax\n"
    "\tmovq %rdx, %r11\n"
    "\ttestb $" COUNTS_DOWN ", " OFFSET_OF_FACTS "(%r9)\n"
    "\tje 2f\n"
    "\txchgq %rax, %r10\n"
    "\tnegq %r11\n"
    "2:\ttestb $" COUNTS_IN_ULL ", " OFFSET_OF_FACTS "(%r9)\n"
    "\tjne 3f\n"
    "\tcmpq %rax, %r10\n"
    "\tjl 4f\n"
    "\txorl %eax, %eax\n"
    "\tjmp 5f\n"
    "3:\tcmpq %rax, %r10\n"
    "\tjb 4f\n"
    "\txorl %eax, %eax\n"
    "\tjmp 5f\n"
    "4:\tsubq %r10, %rax\n"
    "\tcmpq $1, %r11\n"
    "\tje 5f\n"
    "\tdecq %rax\n"
    "\txorl %edx, %edx\n"
    "\tdivq %r11\n"
    "\tincq %rax\n"
    "5:\tmovq %rax, %r15\n"
    "\tcall omp_get_num_threads@PLT\n"
    "\tmovl %eax, (%rsp)\n"
    "\tcall omp_get_thread_num@PLT\n"
    "\tmovl %eax, %ecx\n"  // this thread
    "\tmovl (%rsp), %esi\n"
    "\tmovq %r15, %rax\n"
    "\txorl %edx, %edx\n"
    "\tdivq %rsi\n"  // rax: iterations of each thread; rdx: of the threads before that, one more
    // From rdi to rsi: this thread's number of rax and the smaller of its number and rdx; and rax
    // more, and one if its number is below rdx.
    "\tmovq %rcx, %rdi\n"
    "\timulq %rax, %rdi\n"
    "\tmovq %rdx, %r8\n"
    "\tcmpq %rdx, %rcx\n"
    "\tcmovb %rcx, %r8\n"
    "\taddq %r8, %rdi\n"
    "\tmovq %rdi, %rsi\n"
    "\tcmpq %rdx, %rcx\n"
    "\tadcq %rax, %rsi\n"
    "\tmovq %rdi, %rax\n"
    "\timulq %r12, %rax\n"
    "\taddq %rbx, %rax\n"
    "\tmovq %rax, (%r13)\n"
    // One step beyond the last iteration need not fit in the program's type.
    "\tmovq %rsi, %rax\n"
    "\timulq %r12, %rax\n"
    "\taddq %rbx, %rax\n"
    "\tcmpq %r15, %rsi\n"
    "\tcmove %rbp, %rax\n"
    "\tmovq %rax, (%r14)\n"
    "\tcmpq %rsi, %rdi\n"
    "\tsetb %al\n"
    "\taddq $8, %rsp\n"
    "\t.cfi_adjust_cfa_offset -8\n"
    RESTORED("r15")
    RESTORED("r14")
    RESTORED("r13")
    RESTORED("r12")
    RESTORED("rbp")
    RESTORED("rbx")
    "\tret\n";
constexpr const char* next_text = WHERE_DOALL_IS
    "\tjmp GOMP_loop_runtime_next@PLT\n"
    "1:\txorl %eax, %eax\n"
    "\tret\n";
constexpr const char* end_text = WHERE_DOALL_IS
    "\tjmp GOMP_loop_end@PLT\n"
    "1:\tjmp GOMP_barrier@PLT\n";
constexpr const char* end_nowait_text = WHERE_DOALL_IS
    "\tjmp GOMP_loop_end_nowait@PLT\n"
    "1:\tret\n";

#else

bool have_entries() { return false; }
constexpr const char *begin_text = "", *next_text = "", *end_text = "", *end_nowait_text = "";

#endif

void define(const std::string& name, const char* instructions) {
  const bool intel = ASSEMBLER_DIALECT != 0;
  const std::string text = ".ifndef " + name + "\n" + (intel ? ".att_syntax prefix\n" : "") +
                           ".pushsection .text." + name + ",\"axG\",@progbits," + name +
                           ",comdat\n"
                           ".weak " +
                           name + "\n.hidden " + name + "\n.type " + name +
                           ", @function\n.p2align 4\n" + name + ":\n.cfi_startproc\n" +
                           instructions + ".cfi_endproc\n.size " + name + ", .-" + name +
                           "\n.popsection\n" + (intel ? ".intel_syntax noprefix\n" : "") + ".endif";
  symtab->finalize_toplevel_asm(build_string(static_cast<int>(text.size()) + 1, text.c_str()));
}

// That function, of the object's own or of one that it is linked with.
tree make(const char* name, const char* instructions, tree returns,
          std::initializer_list<tree> parameters) {
  define(name, instructions);
  auto_vec<tree> types;
  for (const tree p : parameters) types.safe_push(p);
  const tree function = build_fn_decl(
      name, build_function_type_array(returns, static_cast<int>(types.length()), types.address()));
  DECL_VISIBILITY(function) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED(function) = 1;
  DECL_ARTIFICIAL(function) = 1;
  TREE_NOTHROW(function) = 1;
  return function;
}

}  // namespace

void make_entries() {
  if (made.begin != NULL_TREE || !have_entries()) return;
  made.begin =
      make("doall.begin", begin_text, boolean_type_node,
           {whole(), whole(), whole(), bytes(), bytes(), bytes(), ptr_type_node, ptr_type_node});
  made.next = make("doall.next", next_text, boolean_type_node, {bytes(), bytes()});
  made.end = make("doall.end", end_text, void_type_node, {});
  made.end_nowait = make("doall.end_nowait", end_nowait_text, void_type_node, {});
}

const entries& made_entries() { return made; }

void register_entries(const char* plugin) {
  // Nothing of GCC's keeps functions that nobody calls yet.
  static const ggc_root_tab all[] = {
      {&made, sizeof made / sizeof(tree), sizeof(tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
      LAST_GGC_ROOT_TAB};
  register_callback(plugin, PLUGIN_REGISTER_GGC_ROOTS, nullptr, const_cast<ggc_root_tab*>(all));
}

}  // namespace doall::plugin
