# Peers of another Debian, in the folder DOALL_PEERS (scripts/in_folder.sh): its newest GCC and Clang
# compile the lanes in there. They run here, by that Debian's dynamic linker and libraries, so that
# nothing of a newer C library meets an older one. The path is a DT_RPATH, which also counts for
# what libraries need.
file(GLOB gccs RELATIVE ${DOALL_PEERS}/usr/bin ${DOALL_PEERS}/usr/bin/g++-[0-9]*)
file(GLOB clangs RELATIVE ${DOALL_PEERS}/usr/bin ${DOALL_PEERS}/usr/bin/clang++-[0-9]*)
file(GLOB loader ${DOALL_PEERS}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/ld-linux-*.so.*)
if(NOT gccs OR NOT clangs OR NOT loader)
  message(FATAL_ERROR "DOALL_PEERS=${DOALL_PEERS}: expected a folder with a Debian for "
    "${CMAKE_LIBRARY_ARCHITECTURE} that has g++ and clang; scripts/in_folder.sh makes one")
endif()
list(SORT gccs COMPARE NATURAL ORDER DESCENDING)
list(SORT clangs COMPARE NATURAL ORDER DESCENDING)
list(GET gccs 0 gcc)
list(GET clangs 0 clang)
string(REPLACE "g++-" "" gcc_release ${gcc})
string(REPLACE "clang++-" "" clang_release ${clang})

set(in_folder ${CMAKE_COMMAND} -E env GCC=${gcc_release} LLVM=${clang_release}
  ${PROJECT_SOURCE_DIR}/scripts/in_folder.sh ${DOALL_PEERS})
set(PEER_GCC ${in_folder} ${gcc})
set(PEER_CLANG ${in_folder} ${clang})
set(libraries ${DOALL_PEERS}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(PEER_LINK_FLAGS -Wl,--dynamic-linker=${loader} -Wl,--disable-new-dtags -Wl,-rpath,${libraries})
file(GLOB tbb ${DOALL_PEERS}/usr/include/tbb/version.h ${DOALL_PEERS}/usr/include/oneapi/tbb/version.h)
if(tbb)
  set(BENCH_HAS_TBB ON)
endif()
message(STATUS "harness: the peers are ${gcc}, ${clang} and oneTBB of ${DOALL_PEERS}")
