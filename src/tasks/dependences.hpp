// Dependences between a task's children (depend clauses).
//
// The maker of the tasks keeps a table of addresses. For each it knows the *last* tasks that named
// it, and those *before* them. A task with `in` after others with `in` joins the last ones; so does
// `inoutset` after `inoutset`. Any other task begins anew: the last ones become those before.
// Either way it depends on all before. Tasks with mutexinoutset on one address run one after the
// other, in the order in which they were made, as those with inout do: they exclude each other, and
// programs may not rely on any order.
//
// If many tasks of a set come before another set, as readers before `inoutset`, the tasks of the
// second do not wait for each of the first, but for a *join*: a dependent without a task, which
// ends when all of the first have.
//
// A `dependent` stands for a task from its creation until its end. A predecessor has a list of
// those that wait for it. Its maker adds to the list, by a swap; the thread that ends it closes the
// list by a swap: who finds it closed need not wait. A successor counts its predecessors, and one
// more until all are known. The thread that takes the count to 0 hands the task over.
//
// State: the table is accessed by the maker's thread alone, and ends with its task. `dependent` is
// counted: by its task, by the table, and by each list that it is in.
// Terminates: a task depends only on tasks that were made before it.
// Cost: a look-up for each item; a swap for each pair of a task and one that it depends on. Of
// these there are at most `few` for each item, and two for each earlier item, however many tasks
// wait for the same ones. (A tool is told of each pair, and there is one then.) Checked by
// tests/model/model_dependents.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tasks/dependent.hpp"
#include "tasks/task_engine.hpp"

namespace doall::tasks {

class dependence_table {
 public:
  dependence_table() = default;
  ~dependence_table();
  dependence_table(const dependence_table&) = delete;
  dependence_table& operator=(const dependence_table&) = delete;

  // Makes `later` wait for what those dependences name. With `joins`, tasks made from now on may
  // wait for it.
  void add(dependent* later, dependences on, bool joins);

  // Forgets the tasks that have ended.
  void drop_ended_entries();

 private:
  static constexpr std::size_t few = 8;

  using tasks = std::vector<dependent*>;
  struct entry {
    tasks last;
    tasks before;
    dependence_kind kind = dependence_kind::out;
  };

  void add_all_memory(dependent* later, bool joins);
  static void wait_for_all(dependent* later, const tasks& earlier);
  static void drop(tasks& some);
  static void drop_ended(tasks& some);
  static void join(tasks& some);

  std::unordered_map<const void*, entry> entries_;
  tasks all_memory_;  // the last task with omp_all_memory: before all in new entries
  std::size_t next_sweep_ = 256;
};

// Adds the task's dependences. Returns whether they are met. If not, the thread that ends the last
// of its predecessors hands it over.
bool are_met_now(executor& me, task* t, dependences on);

// Lets those go that wait for the task, which has ended. `me` is null on a thread that is no
// member.
void release(executor* me, dependent* ended);

}  // namespace doall::tasks
