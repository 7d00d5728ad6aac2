// The rules of tidy that look at the whole tree can fail: what tests see, second lists, dead files,
// rooms and headings.
#include "small_tree.hpp"

namespace {

TEST_F(tidy, tests_see_what_their_room_sees) {
  accepts("tests/threads/x.cpp", "#include \"threads/pool.hpp\"\n#include \"park/gate.hpp\"\n");
  accepts("tests/threads/x.cpp", "#include \"support/seeds.hpp\"\n");
  accepts("tests/model/x.cpp", "#include \"threads/pool.hpp\"\n");
  refuses("tests/park/x.cpp", "#include \"threads/pool.hpp\"\n", "tests/park/x.cpp:1: layering: ");
  std::filesystem::remove(root.path() + "/tests/park/x.cpp");
  refuses("tests/attic/x.cpp", "int x;\n", "tests/attic/x.cpp:1: layering: ");
}

const std::string third =
    "static constexpr description about = {.name = \"third\", .summary = \"\"};\n";

TEST_F(tidy, a_second_list_of_schedules) {
  root.write("src/schedule/x.hpp", third);
  root.write("include/doall/detail/named_schedules.hpp", api + "static Schedule third();\n");
  accepts("tests/base/x.cpp", "f(\"static\", \"third\");\n\n\ng(\"two-words\");\n");
  accepts("tests/base/x.cpp", "// \"static\", \"third\", \"two-words\"\n");
  accepts("tests/base/x.cpp", "f(\"static\", \"dynamic\", \"guided\", \"auto\");\n");
  accepts("tests/base/x.cpp", "say(\"a static third of two-words\");\n");
  for (const char* text :
       {"f(\"static\", \"third,4\",\n  \"two-words\");\n", "f(\"static;third;two-words,2\");\n"}) {
    refuses("tests/base/x.cpp", std::string("\n") + text, "tests/base/x.cpp:");
  }
  std::filesystem::remove(root.path() + "/tests/base/x.cpp");
  refuses("papers/lanes/x.cpp", "f(\"static\", \"third\", \"two-words\");\n",
          "papers/lanes/x.cpp:1: second-list: ");
  std::filesystem::remove(root.path() + "/papers/lanes/x.cpp");
  root.write("CMakeLists.txt", "file(GLOB all *.cpp *.sh)\n");
  accepts("scripts/x.sh", "a static\nb third\nc two-words\n# static third two-words\n");
  refuses("scripts/x.sh", "for how in static third two-words; do\n",
          "scripts/x.sh:1: second-list: ");
}

TEST_F(tidy, a_list_that_is_let_be_and_is_gone) {
  refuses("tests/loops/unit_loop_ring.cpp", "int x;\n",
          "tests/loops/unit_loop_ring.cpp:1: second-list: has no list");
}

TEST_F(tidy, tuned_numbers_of_the_decision) {
  const std::string uses = "#include \"decide/constants.hpp\"\n";
  root.write("src/decide/constants.hpp", "constexpr double after_ns = 3;\n");
  accepts("src/decide/decide.cpp",
          uses + "constexpr double half = 0.5;\n// constexpr int x_ns = 3;\n");
  accepts("src/park/x.cpp", "constexpr int spin_ns = 3;\n");
  for (const char* text :
       {"inline constexpr std::uint64_t after_ns = 3;\n", "constexpr int runs_a_timing = 16;\n",
        "  static constexpr double surprising_times = 3;\n"}) {
    refuses("src/decide/decide.cpp", uses + text, "src/decide/decide.cpp:2: tuned-number: ");
  }
  root.write("src/decide/decide.cpp", uses);
  root.write("src/native/x.cpp", "#include \"native/sharing.hpp\"\n");
  refuses("src/native/sharing.hpp", "int x;\n",
          "src/native/sharing.hpp:1: tuned-number: has no number worth_a_look_ns");
}

TEST_F(tidy, dead_headers) {
  accepts("src/base/x.hpp", "int x;\n");
  refuses("src/base/y.hpp", "int x;\n", "src/base/y.hpp:1: dead-file: nothing includes it");
  accepts("src/base/y.cpp", "#include \"y.hpp\"\n");
}

TEST_F(tidy, dead_sources) {
  root.write("CMakeLists.txt",
             "add_library(x base/x.cpp)\nfile(GLOB all unit_*.cpp)\n"
             "foreach(name near far)\n  add(lane_${name}_cpp.cpp)\n"
             "set(all all.cpp)\n");
  accepts("src/base/x.cpp", "int x;\n");
  accepts("tests/base/unit_x.cpp", "int x;\n");
  accepts("src/base/lane_far_cpp.cpp", "int x;\n");
  refuses("src/base/lane_other_cpp.cpp", "int x;\n",
          "src/base/lane_other_cpp.cpp:1: dead-file: nothing builds or runs it");
  std::filesystem::remove(root.path() + "/src/base/lane_other_cpp.cpp");
  refuses("src/base/y.cpp", "int x;\n", "src/base/y.cpp:1: dead-file: ");
  std::filesystem::remove(root.path() + "/src/base/y.cpp");
  refuses("scripts/y.sh", "true\n", "scripts/y.sh:1: dead-file: ");
}

TEST_F(tidy, dead_pages) {
  accepts("docs/x.md", "Linked.\n");
  refuses("docs/y.md", "See y.md.\n", "docs/y.md:1: dead-file: no other page links to it");
}

TEST_F(tidy, headings_that_are_named_exist) {
  root.write("README.md", "# Title\n\n## Rooms\n\ndocs/x.md\n");
  accepts("src/base/x.cpp", "// README.md, \"Rooms\"\n");
  refuses("src/base/x.cpp", "// README.md, \"Room\"\n", "src/base/x.cpp:1: rooms: no heading");
  refuses("src/base/x.cpp", "// OTHER.md, \"Rooms\"\n", "src/base/x.cpp:1: rooms: no page");
}

TEST_F(tidy, rooms_that_are_named_exist) {
  root.write("src/base/x.cpp", "int x;\n");
  accepts("DESIGN.md", "| `src/park/` | gate |\n\n- `threads -> x`, `threads → park, base`\n");
  refuses("DESIGN.md", "| `src/attic/` | old |\n", "DESIGN.md:1: rooms: \"src/attic/\"");
  refuses("DESIGN.md", "\n- `threads → attic`\n", "DESIGN.md:2: rooms: \"attic\"");
}

TEST_F(tidy, rooms_of_the_table_exist) {
  for (const char* room :
       {"barrier",  "base",    "cc",    "cli",   "costs",  "decide",  "deque",  "loops",
        "native",   "observe", "omp",   "park",  "plugin", "process", "report", "schedule",
        "settings", "sim",     "sites", "steal", "tasks",  "text",    "threads"}) {
    root.write("src/" + std::string(room) + "/x.cpp", "int x;\n");
  }
  for (const char* folder :
       {"bench/compiled", "harness/driver", "harness/lanes", "bench/experiments", "bench/lanes",
        "bench/mpi", "harness/kernels", "papers/lanes", "papers/experiments"}) {
    root.write(std::string(folder) + "/x.cpp", "int x;\n");
  }
  refuses("tests/tidy/layering.cpp", "int x;\n",
          "tests/tidy/layering.cpp:1: rooms: names the room \"topology\"");
  accepts("src/topology/x.cpp", "int x;\n");
}

}  // namespace
