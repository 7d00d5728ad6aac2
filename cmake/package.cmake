# What other projects find doall by: a CMake package and a pkg-config file. All
# paths in them are relative to the file itself.
include(CMakePackageConfigHelpers)

set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/doall)
install(EXPORT doall-targets NAMESPACE doall:: DESTINATION ${PACKAGE_FOLDER}
  COMPONENT dev)
install(EXPORT doall-static-targets NAMESPACE doall:: DESTINATION ${PACKAGE_FOLDER}
  COMPONENT static)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/doall-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/doall-config.cmake
  INSTALL_DESTINATION ${PACKAGE_FOLDER} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor release may change an interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/doall-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/doall-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/doall-config-version.cmake DESTINATION ${PACKAGE_FOLDER}
  COMPONENT dev)

set(PC_FOLDER ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PC_TO_LIB ${PC_FOLDER} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH PC_TO_INCLUDE ${PC_FOLDER} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(PC_ATOMIC "")
if(NOT DOALL_ATOMICS_ARE_INLINE)
  set(PC_ATOMIC " -latomic")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/doall.pc.in ${CMAKE_CURRENT_BINARY_DIR}/doall.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/doall.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Completions of the command, where the shells look for them.
if(DOALL_COMMAND)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/doall.bash RENAME doall
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/_doall
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
  install(FILES ${PROJECT_SOURCE_DIR}/completions/doall.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tools)
endif()
