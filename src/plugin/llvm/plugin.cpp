// doall's pass plugin of LLVM (clang -fpass-plugin): finds what iterations of worksharing loops
// cost, and lets them tell the runtime.
//
// Clang's and flang's loops ask the runtime for their bounds or chunks anyway, so no loop is
// changed here: just before it begins, the code calls doall_loop_costs, where that is
// (hand_over.cpp). The pass runs once over the module when functions have been inlined and
// simplified, and before loops are vectorised: loops have one shape then, for C, C++ and Fortran
// alike. At -O0 it does nothing.
#include "pass.hpp"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>)  // from LLVM 22 on
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

namespace doall::plugin {
namespace {

namespace cl = llvm::cl;

cl::opt<bool> explains("doall-explain", cl::desc("Print what iterations of each loop cost"));
cl::opt<std::string> prices("doall-prices",
                            cl::desc("Cycles: STATEMENT,LOAD,DIVISION,CALL,ROUND,ATOMIC"));
cl::opt<bool> steer_static("doall-steer-static",
                           cl::desc("Static loops of one region may have unlike blocks"));
cl::opt<bool> no_kept("doall-no-kept", cl::desc("Make sums of costs anew (COWS, Opt1 off)"));
cl::opt<bool> no_uniform("doall-no-uniform", cl::desc("Tell equal costs, too (Opt2 off)"));
cl::opt<bool> no_guards("doall-no-guards", cl::desc("Guarded work counts (Opt3 off)"));

void explain(const dealt_loop& loop, const finding& found) {
  const source_line at = line_of(*loop.start);
  llvm::raw_ostream& out = llvm::outs();
  out << at.file << ':' << at.line << (loop.is_static ? ": static" : ": dealt in chunks")
      << "; costs " << found.kind;
  if (found.reason != nullptr) out << ": " << found.reason;
  if (found.cost != nullptr) out << ": " << (found.at_most ? "at most " : "") << in_words(found);
  if (found.grain != 0) out << "; grain " << found.grain;
  if (found.fine != 0)
    out << "; fine up to " << found.fine << " iterations: alike, and less than 100 ms in all";
  if (loop.keeps_blocks != nullptr) out << "; not steered by costs: " << loop.keeps_blocks;
  out << '\n';
}

// A cheap look, since analyses are not.
bool begins_loops(const llvm::Function& f) {
  for (const llvm::BasicBlock& block : f) {
    for (const llvm::Instruction& i : block) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      const llvm::Function* called = call != nullptr ? call->getCalledFunction() : nullptr;
      if (called != nullptr && (called->getName().starts_with("__kmpc_for_static_init_") ||
                                called->getName().starts_with("__kmpc_dispatch_init_")))
        return true;
    }
  }
  return false;
}

// Loops of one function, with what was found of them.
void find(llvm::Function& f, llvm::FunctionAnalysisManager& all,
          llvm::SmallVectorImpl<std::pair<dealt_loop, finding>>& found) {
  analyses of{f,
              all.getResult<llvm::LoopAnalysis>(f),
              all.getResult<llvm::DominatorTreeAnalysis>(f),
              all.getResult<llvm::PostDominatorTreeAnalysis>(f),
              all.getResult<llvm::ScalarEvolutionAnalysis>(f),
              all.getResult<llvm::AAManager>(f),
              all.getResult<llvm::TargetLibraryAnalysis>(f)};
  llvm::SmallVector<dealt_loop, 4> loops = find_loops(of);
  find_pairs(of, loops);
  for (const dealt_loop& loop : loops) found.emplace_back(loop, find_cost(of, loop));
}

// Code for devices has loops of the same names.
bool is_for_host(const llvm::Module& m) {
  const std::string triple = llvm::Triple(m.getTargetTriple()).str();
  return triple.find("nvptx") == std::string::npos && triple.find("amdgcn") == std::string::npos;
}

struct costs_pass : llvm::PassInfoMixin<costs_pass> {
  llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager& modules) {
    const bool has_loops = llvm::any_of(m, [](const llvm::Function& f) {
      return f.getName().starts_with("__kmpc_for_static_init_") ||
             f.getName().starts_with("__kmpc_dispatch_init_");
    });
    if (!has_loops || !is_for_host(m)) return llvm::PreservedAnalyses::all();
    auto& all = modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(m).getManager();
    llvm::SmallVector<llvm::Function*, 16> functions;  // without those that are made
    for (llvm::Function& f : m)
      if (!f.isDeclaration() && !f.hasOptNone() && begins_loops(f)) functions.push_back(&f);
    llvm::SmallVector<std::pair<dealt_loop, finding>, 16> found;
    for (llvm::Function* f : functions) find(*f, all, found);
    // Only now is anything inserted that the analyses do not know.
    for (const auto& [loop, costs] : found) {
      if (asked().explains) explain(loop, costs);
      hand_over(loop, costs);
    }
    return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }
};

}  // namespace

const options& asked() {
  static const options given = [] {
    options o;
    o.explains = explains;
    o.steers_static = steer_static;
    o.price.read(prices.c_str());
    o.keeps = !no_kept;
    o.knows_uniform = !no_uniform;
    o.respects_guards = !no_guards;
    return o;
  }();
  return given;
}

}  // namespace doall::plugin

extern "C" [[gnu::visibility("default")]] llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "doall", LLVM_VERSION_STRING, [](llvm::PassBuilder& builder) {
            // The callback has one more argument from LLVM 20 on.
            builder.registerOptimizerEarlyEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, auto&&...) {
                  if (level != llvm::OptimizationLevel::O0)
                    passes.addPass(doall::plugin::costs_pass());
                });
          }};
}
