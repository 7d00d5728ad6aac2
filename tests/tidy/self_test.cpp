// Each rule of tidy that looks into one file can fail: the program runs over small trees that break
// one rule in one place, and over one that breaks none.
#include "small_tree.hpp"

namespace {

TEST_F(tidy, a_clean_tree_passes) { accepts("src/base/x.cpp", "int x;\n"); }

TEST_F(tidy, what_is_not_a_repository_is_refused) {
  std::filesystem::remove_all(root.path() + "/src");
  EXPECT_EQ(run().status, 2);
}

TEST_F(tidy, layering) {
  accepts("src/threads/x.cpp", "#include <vector>\n#include \"schedule/registry.hpp\"\n");
  accepts("src/threads/x.cpp", "#include \"barrier/half_barrier.hpp\"\n#include <doall/abi.h>\n");
  accepts("src/cli/x.cpp", "#include \"base/env.hpp\"\n");  // along several arrows
  accepts("src/schedule/x.hpp", "#include \"neighbour.hpp\"\n// #include \"threads/pool.hpp\"\n");
  refuses("src/schedule/x.hpp", "#include \"park/gate.hpp\"\n", "src/schedule/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_has_deques_at_the_bottom) {
  accepts("src/deque/x.hpp", "#include \"base/sync.hpp\"\n");
  for (const char* above : {"schedule", "steal", "sim", "threads"}) {
    accepts(std::string("src/") + above + "/x.hpp", "#include \"deque/theft.hpp\"\n");
  }
  refuses("src/deque/x.hpp", "#include \"schedule/schedule.hpp\"\n",
          "src/deque/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_lets_threads_and_the_simulator_steal) {
  accepts("src/steal/x.hpp", "#include \"schedule/splitting.hpp\"\n");
  accepts("src/sim/x.cpp", "#include \"steal/worker_thread.hpp\"\n");
  accepts("src/threads/x.cpp", "#include \"steal/worker_thread.hpp\"\n");
  refuses("src/steal/x.hpp", "#include \"park/gate.hpp\"\n", "src/steal/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_has_doors_above_threads) {
  accepts("src/native/x.cpp", "#include \"threads/pool.hpp\"\n#include \"costs/kept_costs.hpp\"\n");
  refuses("src/threads/x.cpp", "#include \"native/scratch.hpp\"\n",
          "src/threads/x.cpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_doors_apart) {
  refuses("src/omp/x.cpp", "#include \"native/scratch.hpp\"\n", "src/omp/x.cpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_costs_from_threads) {
  refuses("src/costs/x.cpp", "#include \"threads/pool.hpp\"\n", "src/costs/x.cpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_the_report_from_stealing) {
  refuses("src/observe/x.hpp", "#include \"steal/frame.hpp\"\n", "src/observe/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_the_simulator_from_threads) {
  refuses("src/sim/x.cpp", "\n#include \"threads/pool.hpp\"\n", "src/sim/x.cpp:2: layering: ");
}

TEST_F(tidy, layering_keeps_the_public_api_apart) {
  refuses("include/doall/x.hpp", "#include <base/rng.hpp>\n", "include/doall/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_compat_in_the_api) {
  const std::string itself = "#include <doall/compat/x.h>\n";  // so that it is not dead
  accepts("include/doall/compat/x.h", itself + "#include \"../abi.h\"\n");
  refuses("include/doall/compat/x.h", itself + "#include \"../../../src/base/rng.hpp\"\n",
          "include/doall/compat/x.h:2: layering: ");
}

TEST_F(tidy, layering_sees_through_relative_paths) {
  refuses("src/base/x.hpp", "#include \"../threads/pool.hpp\"\n", "src/base/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_keeps_measurements_from_the_team) {
  accepts("harness/driver/x.cpp", "#include \"text/table.hpp\"\n#include \"lanes/pin.hpp\"\n");
  refuses("harness/kernels/x.hpp", "#include \"threads/pool.hpp\"\n",
          "harness/kernels/x.hpp:1: layering: ");
}

TEST_F(tidy, layering_knows_all_folders_that_measure) {
  refuses("bench/attic/x.cpp", "int x;\n", "bench/attic/x.cpp:1: layering: ");
}

TEST_F(tidy, layering_knows_all_rooms) {
  refuses("src/attic/x.hpp", "int x;\n", "src/attic/x.hpp:1: layering: ");
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "int x;\n";
  return text;
}

TEST_F(tidy, length) {
  accepts("tests/base/x.cpp", lines(400));
  accepts("tests/base/x.cpp", "// Length: one table of the ABI.\n" + lines(400));
  refuses("tests/base/x.cpp", lines(401), "tests/base/x.cpp:401: length: 401 lines");
  refuses("tests/base/x.cpp", "// Length:\n" + lines(400), "tests/base/x.cpp:401: length: ");
  refuses("tests/base/x.cpp", lines(15) + "// Length: too late.\n" + lines(400),
          "tests/base/x.cpp:401: length: ");
}

TEST_F(tidy, atomics) {
  accepts("src/base/sync_other.hpp", "#include <atomic>\nstd::atomic<int> x;\n");
  accepts("src/base/x.hpp", "// std::atomic is not for here\nchar c[] = \"volatile\";\n");
  accepts("src/base/x.hpp", "asm volatile(\"isb\");\n");
  for (const char* line :
       {"#include <atomic>", "std::atomic<int> x;", "std::memory_order o;",
        "std::atomic_thread_fence(o);", "__atomic_load_n(&x, 5);", "__sync_synchronize();",
        "volatile int x;", "asm volatile(\"\" ::: \"memory\");"}) {
    refuses("src/base/x.hpp", std::string("\n") + line, "src/base/x.hpp:2: atomics: ");
  }
}

TEST_F(tidy, banned_calls) {
  accepts("src/cli/x.cpp", "operand(1); printf(\"usleep(1)\"); // usleep(1)\n");
  accepts("src/base/x.hpp", "std::snprintf(text, 3, \"\"); int brand = strand(3);\n");
  for (const char* line : {"std::this_thread::sleep_for(1ms);", "usleep(1);", "int i = rand();",
                           "sched_yield();", "printf(\"x\");", "std::cout << 1;"}) {
    refuses("src/base/x.hpp", line, "src/base/x.hpp:1: banned-call: ");
  }
}

TEST_F(tidy, leftovers) {
  for (const std::string word : {"TO"
                                 "DO",
                                 "FIX"
                                 "ME",
                                 "XX"
                                 "X"}) {
    accepts("docs/x.md", "a word that contains it: " + word + "s\n");
    accepts("build/x.cpp", "// " + word);
    refuses("docs/x.md", "Later.\n\n" + word + ": more\n", "docs/x.md:3: leftover: " + word);
  }
}

TEST_F(tidy, schedules_are_listed_once) {
  accepts("src/omp/x.cpp", "auto s = \"static\"; auto t = \"Static,4\";\n");
  accepts("src/cli/x.cpp", "fail(\"static programs cannot be steered\"); // \"two-words\"\n");
  for (const char* text :
       {"\"static\"", "\"block\"", "\"Two-Words\"", "\"two-words,4,k=2\"", "R\"(static)\""}) {
    refuses("src/cli/x.cpp", std::string("\nf(") + text + ");\n",
            "src/cli/x.cpp:2: schedule-list: ");
  }
}

TEST_F(tidy, only_openmps_words_are_openmps) {
  refuses("src/omp/x.cpp", "f(\"two-words\");\n", "src/omp/x.cpp:1: schedule-list: ");
}

TEST_F(tidy, a_schedule_without_a_factory) {
  refuses("include/doall/detail/named_schedules.hpp", api.substr(0, api.find('\n') + 1),
          "include/doall/detail/named_schedules.hpp:1: schedule-list: no factory \"static Schedule "
          "two_words(");
}

TEST_F(tidy, a_factory_without_a_schedule) {
  refuses("include/doall/detail/named_schedules.hpp",
          api + "static Schedule best() { return {}; }\n",
          "include/doall/detail/named_schedules.hpp:3: schedule-list: factory best ");
}

TEST_F(tidy, no_factories_at_all) {
  std::filesystem::remove(root.path() + "/include/doall/detail/named_schedules.hpp");
  refuses("src/base/x.cpp", "",
          "include/doall/detail/named_schedules.hpp:1: schedule-list: missing");
}

TEST_F(tidy, schedules_that_cannot_be_read) {
  std::filesystem::remove(root.path() + "/src/schedule/two_words.hpp");
  refuses("src/schedule/static.hpp", "// .name = \"static\"\n", "src/schedule:1: schedule-list: ");
}

TEST_F(tidy, wide_documents) {
  const std::string wide(101, 'x');
  const std::string words = "Words " + wide.substr(0, 94);  // 100 columns
  std::string signs;
  for (int i = 0; i < 94; ++i) signs += "\u00b5";  // two bytes each, one column
  accepts("docs/x.md", words + "\n" + "Words " + signs + "\n");
  accepts("docs/x.md", "| a | " + wide + " |\n\n- [" + wide + "](x.md)\n");
  accepts("docs/x.md", "```\n$ doall x " + wide + "\n```\n");
  refuses("docs/x.md", "Title\n\n" + words + " more\n", "docs/x.md:3: document-width: 105 columns");
  refuses("docs/x.md", "```sh\n" + words + " more\n```\n", "docs/x.md:2: document-width: ");
  refuses("docs/x.md", "```\n" + wide + "\n```\n" + words + " more\n",
          "docs/x.md:4: document-width: ");
  std::filesystem::remove(root.path() + "/docs/x.md");
  for (const char* path :
       {"src/park/README.md", "bench/experiments/x.md", "results/x.md", "papers/README.md"}) {
    refuses(path, words + " more\n", std::string(path) + ":1: document-width: ");
    std::filesystem::remove(root.path() + "/" + path);
  }
}

const std::string order_in_x = "src/threads/x.hpp:1: memory-order: ";

TEST_F(tidy, memory_orders_that_are_in_order) {
  for (const char* text : {
           "// (1) relaxed; alone: a hint\nx.load(sync::relaxed);\n",
           "// Prose first.\n// (1) acq_rel; pairs with (1): both\n// sides\n"
           "x.compare_exchange_strong(a, b, sync::acq_rel,\n                  sync::acquire);\n",
           "// (1) acquire; pairs with the sleeper's store, gate (1)\n"
           "wait([&] {\n  return x.load(sync::acquire); });\n",
           "// (1) seq_cst fence; pairs with (2), gate (2)\nsync::fence();\n"
           "// (2) seq_cst fence; pairs with (1)\nsync::fence();\n",
           "// (7) seq_cst; pairs with (8)\nx.store(1);\n// (8) seq_cst; pairs with "
           "(7)\nx.load();\n",
           "// sync::relaxed in a comment\n",
       }) {
    accepts("src/threads/x.hpp", text);
  }
}

TEST_F(tidy, an_operation_without_a_comment) {
  refuses("src/threads/x.hpp", "x.load(sync::relaxed);\n", order_in_x);
  refuses("src/threads/x.hpp", "sync::fence();\n", order_in_x);
}

TEST_F(tidy, an_operation_under_a_comment_without_a_number) {
  for (const char* comment :
       {"// relaxed; alone: why", "// (1) relaxed: why", "// (a) relaxed; alone: why"}) {
    refuses("src/threads/x.hpp", std::string(comment) + "\nx.load(sync::relaxed);\n",
            "src/threads/x.hpp:2: memory-order: ");
  }
}

TEST_F(tidy, a_comment_covers_one_statement) {
  const std::string covered = "// (1) relaxed; alone: why\nif (x.load(sync::relaxed)) ";
  refuses("src/threads/x.hpp", covered + "return;\ny.load(sync::relaxed);\n",
          "src/threads/x.hpp:3: memory-order: ");
  refuses("src/threads/x.hpp", covered + "{\n  y.load(sync::relaxed);\n}\n",
          "src/threads/x.hpp:3: memory-order: ");
}

TEST_F(tidy, a_comment_with_another_order) {
  refuses("src/threads/x.hpp", "// (1) release; alone: why\nx.store(1, sync::relaxed);\n",
          order_in_x + "(1) says release, but the statement below uses another order");
}

TEST_F(tidy, a_comment_without_an_operation) {
  refuses("src/threads/x.hpp", "// (1) relaxed; alone: why\nx = 1;\n",
          order_in_x + "(1) says relaxed, but the statement below has no such operation");
}

TEST_F(tidy, a_number_used_twice) {
  refuses("src/threads/x.hpp",
          "// (1) relaxed; alone: why\nx.load(sync::relaxed);\n"
          "// (1) relaxed; alone: why\nx.load(sync::relaxed);\n",
          "src/threads/x.hpp:3: memory-order: (1) is taken already, in line 1");
}

TEST_F(tidy, neither_partner_nor_reason) {
  for (const char* text : {"alone", "alone:", "it is fine", "pairs with the other side: yes"}) {
    refuses("src/threads/x.hpp",
            std::string("// (1) relaxed; ") + text + "\nx.load(sync::relaxed);\n",
            order_in_x + "(1) ");
  }
}

TEST_F(tidy, a_partner_that_does_not_exist) {
  refuses("src/threads/x.hpp", "// (1) relaxed; pairs with (2)\nx.load(sync::relaxed);\n",
          order_in_x + "(1) pairs with (2), which this file does not have");
  refuses("src/threads/x.hpp", "// (1) relaxed; pairs with gate (3)\nx.load(sync::relaxed);\n",
          order_in_x + "(1) pairs with gate (3), but no file gate.* in src/ has that number");
}

TEST_F(tidy, a_partner_that_does_not_name_back) {
  refuses("src/threads/x.hpp",
          "// (1) acquire; pairs with (2)\nx.load(sync::acquire);\n"
          "// (2) release; alone: why\nx.store(1, sync::release);\n",
          order_in_x + "(1) pairs with (2), which does not name it back");
}

}  // namespace
