# Debian packages, a component each: `cpack -G DEB` in a tree that is configured for /usr, as
# scripts/package.sh does. What only packages have is excluded from an ordinary installation.
set(DEBIAN ${PROJECT_SOURCE_DIR}/packaging/debian)

# doc(COMPONENT PACKAGE [FILES]): copyright, changelog and lintian's overrides; FILES is how their
# names begin, if not with the component's.
find_program(DOALL_GZIP gzip)
function(doc component package)
  set(named ${component})
  if(ARGN)
    set(named ${ARGN})
  endif()
  install(FILES ${DEBIAN}/${named}.copyright RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${CMAKE_BINARY_DIR}/changelog.gz RENAME changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
  if(EXISTS ${DEBIAN}/${named}.overrides)
    install(FILES ${DEBIAN}/${named}.overrides RENAME ${package}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
endfunction()
if(DOALL_GZIP)
  execute_process(COMMAND ${DOALL_GZIP} -9nc ${DEBIAN}/changelog
    OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  foreach(page doall doall-cc doall-c++ doall-fortran)
    execute_process(COMMAND ${DOALL_GZIP} -9nc ${DEBIAN}/${page}.1
      OUTPUT_FILE ${CMAKE_BINARY_DIR}/man/${page}.1.gz)
  endforeach()
  foreach(tool ar nm ranlib)  # doall-cc's page has them
    file(CREATE_LINK doall-cc.1.gz ${CMAKE_BINARY_DIR}/man/doall-gcc-${tool}.1.gz SYMBOLIC)
  endforeach()
  foreach(page doall doall-cc doall-c++ doall-fortran doall-gcc-ar doall-gcc-nm doall-gcc-ranlib)
    install(FILES ${CMAKE_BINARY_DIR}/man/${page}.1.gz
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools EXCLUDE_FROM_ALL)
  endforeach()
endif()
doc(runtime libdoall0)
doc(dev libdoall-dev)
doc(tools doall)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "doall")
set(CPACK_PACKAGE_CONTACT "doall's maintainers <doall@localhost.localdomain>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_OUTPUT_FILE_PREFIX packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
  ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/doall/omp)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libdoall0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "parallel loops under any schedule - libraries
doall runs the loops of OpenMP programs that GCC or Clang has built, and those
of C++20 and C11 programs that include its header, under any of its schedules.

These are the libraries, also by the names of OpenMP's runtimes, in a folder
of their own: programs find them by 'doall run' of the package doall.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${DEBIAN}/shlibs ${DEBIAN}/triggers)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libdoall-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libdoall0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEV_DESCRIPTION "parallel loops under any schedule - headers
doall runs parallel loops of C++20 and C11 programs under any of its schedules.

These are the headers, and what CMake and pkg-config find the library by.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME doall)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libdoall0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "libgomp1, gcc")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "parallel loops under any schedule - command
The command doall runs an OpenMP program that is built already under any of
doall's schedules, compares them, and reports where each loop loses its time.")

get_property(plugin_versions GLOBAL PROPERTY DOALL_PLUGIN_VERSIONS)
foreach(major IN LISTS plugin_versions)
  set(package gcc-${major}-plugin-doall)
  # GCC's functions change from minor to minor version, and its plugins with them.
  execute_process(COMMAND gcc-${major} -dumpfullversion OUTPUT_VARIABLE full ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(compiler "gcc-${major}")
  if(full MATCHES "^${major}\\.([0-9]+)")
    math(EXPR next "${CMAKE_MATCH_1} + 1")
    set(compiler "gcc-${major} (>= ${major}.${CMAKE_MATCH_1}), gcc-${major} (<< ${major}.${next}~)")
  endif()
  list(APPEND CPACK_COMPONENTS_ALL plugin_${major})
  doc(plugin_${major} ${package} plugin)
  set(CPACK_DEBIAN_PLUGIN_${major}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_PLUGIN_${major}_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_PLUGIN_${major}_PACKAGE_DEPENDS "doall (= ${PROJECT_VERSION}-1), ${compiler}")
  set(CPACK_DEBIAN_PLUGIN_${major}_PACKAGE_ENHANCES doall)
  set(CPACK_COMPONENT_PLUGIN_${major}_DESCRIPTION
"parallel loops under any schedule - plugin of GCC ${major}
With it 'doall cc', 'doall c++' and 'doall fortran' compile every OpenMP loop
of a program so that its schedule can be chosen when the program runs.")
endforeach()
include(CPack)
