// Lets a loop tell the runtime what was found of its costs: a note in the object, a context of the
// thread's own with the captured values, and a call just before the one that begins the loop.
//
// The runtime's function is a weak symbol: on LLVM's own libomp, which has none, a function of the
// object's own returns at once. What is in the context lies on the thread's stack, and is read
// before the loop begins.
#include "pass.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace doall::plugin {
namespace {

using llvm::IRBuilder;
using llvm::Value;

// What clang writes of a construct with -g: ";file;function;line;column;;".
llvm::StringRef place_in(const Value* ident) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(ident->stripPointerCasts());
  if (global == nullptr || !global->hasInitializer()) return {};
  const llvm::Constant* text = global->getInitializer()->getAggregateElement(4U);
  if (text == nullptr) return {};
  const auto* bytes = llvm::dyn_cast<llvm::GlobalVariable>(text->stripPointerCasts());
  if (bytes == nullptr || !bytes->hasInitializer()) return {};
  const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(bytes->getInitializer());
  return data != nullptr && data->isString() ? data->getAsString() : llvm::StringRef();
}

// struct compiled_loop (src/omp/compiled_loop.hpp).
llvm::GlobalVariable* make_note(const dealt_loop& loop, std::uint64_t facts) {
  llvm::Module& m = *loop.start->getModule();
  llvm::LLVMContext& c = m.getContext();
  llvm::Type* const word = llvm::Type::getInt32Ty(c);
  llvm::Type* const long_word = llvm::Type::getInt64Ty(c);
  auto* const pointer = llvm::PointerType::getUnqual(c);
  auto* const type = llvm::StructType::get(c, {word, word, pointer, pointer, long_word, long_word});
  const source_line at = line_of(*loop.start);
  IRBuilder<> build(loop.start);
  llvm::Constant* const values[] = {
      llvm::ConstantInt::get(word, m.getDataLayout().getTypeAllocSize(type)),
      llvm::ConstantInt::get(word, at.line),
      build.CreateGlobalString(at.file, "doall_file"),
      llvm::ConstantPointerNull::get(pointer),
      llvm::ConstantInt::get(long_word, 0),
      llvm::ConstantInt::get(long_word, facts),
  };
  auto* const note =
      new llvm::GlobalVariable(m, type, false, llvm::GlobalValue::InternalLinkage,
                               llvm::ConstantStruct::get(type, values), "doall_loop");
  note->setSection(notes_section);
  note->setAlignment(llvm::Align(8));  // a linker lays them out in steps of it
  llvm::appendToCompilerUsed(m, {note});
  return note;
}

// Calls the runtime's function if it is there.
llvm::Function* teller(llvm::Module& m) {
  constexpr const char* name = "doall_tell";
  if (llvm::Function* made = m.getFunction(name)) return made;
  llvm::LLVMContext& c = m.getContext();
  auto* const pointer = llvm::PointerType::getUnqual(c);
  auto* const type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(c), {pointer, pointer, pointer}, false);
  llvm::FunctionCallee runtime = m.getOrInsertFunction("doall_loop_costs", type);
  auto* const of_runtime = llvm::dyn_cast<llvm::Function>(runtime.getCallee());
  if (of_runtime == nullptr || !of_runtime->isDeclaration()) return nullptr;
  of_runtime->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  of_runtime->addFnAttr(llvm::Attribute::NoUnwind);
  auto* const made =
      llvm::Function::createWithDefaultAttr(type, llvm::GlobalValue::InternalLinkage, 0, name, &m);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->addFnAttr(llvm::Attribute::NoInline);
  auto* const entry = llvm::BasicBlock::Create(c, "", made);
  auto* const here = llvm::BasicBlock::Create(c, "", made);
  auto* const gone = llvm::BasicBlock::Create(c, "", made);
  IRBuilder<> build(entry);
  build.CreateCondBr(build.CreateIsNotNull(of_runtime), here, gone);
  build.SetInsertPoint(here);
  build.CreateCall(runtime, {made->getArg(0), made->getArg(1), made->getArg(2)});
  build.CreateBr(gone);
  build.SetInsertPoint(gone);
  build.CreateRetVoid();
  return made;
}

Value* make_context(const dealt_loop& loop, const finding& found) {
  llvm::StructType* const type = type_of_context(loop.start->getContext(), found.captures);
  llvm::BasicBlock& entry = loop.start->getFunction()->getEntryBlock();
  IRBuilder<> first(&entry, entry.begin());
  Value* const context = first.CreateAlloca(type, nullptr, "doall_context");
  IRBuilder<> build(loop.start);
  for (unsigned i = 0; i < found.captures.size(); ++i) {
    Value* const value = found.captures[i];
    // It is copied, for as long as the loop takes to begin.
    build.CreateStore(value, build.CreateStructGEP(type, context, i));
  }
  return context;
}

}  // namespace

llvm::StructType* type_of_context(llvm::LLVMContext& c, llvm::ArrayRef<Value*> captures) {
  llvm::SmallVector<llvm::Type*, 8> fields;
  for (const Value* v : captures) fields.push_back(v->getType());
  return llvm::StructType::get(c, fields);
}

source_line line_of(const llvm::CallInst& start) {
  if (const llvm::DebugLoc& at = start.getDebugLoc())
    if (at.getLine() != 0) return {at->getFilename().str(), at.getLine()};
  llvm::SmallVector<llvm::StringRef, 6> parts;
  place_in(start.getArgOperand(0)).split(parts, ';');
  source_line found{start.getModule()->getSourceFileName(), 0};
  if (parts.size() > 3 && parts[1] != "unknown" && !parts[3].getAsInteger(10, found.line))
    found.file = parts[1].str();
  return found;
}

void hand_over(const dealt_loop& loop, const finding& found) {
  const bool is_known = found.kind != "unknown";
  std::uint64_t facts = found.grain << grain_shift | found.fine << fine_shift;
  if (found.kind == "uniform") facts |= is_uniform;
  if (found.kind == "guarded") facts |= is_guarded;
  if (found.cost != nullptr) facts |= is_weighted;
  if (!asked().keeps) facts |= is_made_anew;
  if (loop.keeps_blocks != nullptr) facts |= keeps_blocks;
  llvm::GlobalVariable* const note = make_note(loop, facts);
  if (!is_known && loop.keeps_blocks == nullptr) return;  // the note is for readers of the object
  llvm::Function* const tell = teller(*loop.start->getModule());
  if (tell == nullptr) return;
  auto* const none = llvm::ConstantPointerNull::get(note->getType());
  Value* const context =
      found.captures.empty() ? static_cast<Value*>(none) : make_context(loop, found);
  Value* const cost = found.cost != nullptr ? static_cast<Value*>(found.cost) : none;
  IRBuilder<> build(loop.start);
  build.CreateCall(tell, {note, context, cost});
}

}  // namespace doall::plugin
