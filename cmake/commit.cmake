# Writes TO, which defines DOALL_COMMIT: the commit of SOURCE, "+changes" behind it where files that
# git tracks differ, "" where git does not know SOURCE (a tarball, no git). Runs in each build, and
# leaves TO alone while it is true.
#   cmake -DSOURCE=FOLDER -DTO=FILE -P commit.cmake
find_program(GIT git)
set(commit "")
if(GIT)
  # A tarball that is unpacked in another project's clone has not that one's commit.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix --short=12 HEAD
    OUTPUT_VARIABLE said RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0 AND said MATCHES "^\n([0-9a-f]+)\n$")
    set(commit ${CMAKE_MATCH_1})
    execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE differs
      OUTPUT_QUIET ERROR_QUIET)
    if(differs)
      string(APPEND commit "+changes")
    endif()
  endif()
endif()
set(text "#define DOALL_COMMIT \"${commit}\"\n")
set(there "")
if(EXISTS ${TO})
  file(READ ${TO} there)
endif()
if(NOT text STREQUAL there)
  file(WRITE ${TO} "${text}")
endif()
