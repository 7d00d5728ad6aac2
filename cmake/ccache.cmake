# Where ccache is installed, what was compiled before is copied: into another build tree, after a
# branch was left and come back to, in the second of ten gates. Headers that are compiled ahead need
# two kinds of looseness; and a file's headers are known by the compiler's own list, so that what is
# new is not preprocessed twice.
option(DOALL_CCACHE "Compile by ccache, where it is installed" ${PROJECT_IS_TOP_LEVEL})
if(DOALL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(DOALL_CCACHE_PROGRAM ccache)
  mark_as_advanced(DOALL_CCACHE_PROGRAM)
  if(DOALL_CCACHE_PROGRAM)
    # Without a folder that it may write to ccache compiles nothing.
    file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/ccache.c "")
    execute_process(COMMAND ${DOALL_CCACHE_PROGRAM} ${CMAKE_C_COMPILER} -c ccache.c
      WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/CMakeFiles RESULT_VARIABLE failed
      OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      foreach(language C CXX)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
          CCACHE_SLOPPINESS=pch_defines,time_macros ${DOALL_CCACHE_PROGRAM})
      endforeach()
      add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
    endif()
  endif()
endif()
