# A toolchain file for another processor on Linux, by Debian's cross compilers and libraries for
# several architectures (scripts/setup.sh cross), run by qemu-user:
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DDOALL_CROSS=aarch64 ...
# `make CROSS=aarch64 build` and `test` do so.
set(DOALL_CROSS aarch64 CACHE STRING "The processor: aarch64, riscv64, ...")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DOALL_CROSS)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${DOALL_CROSS})
set(triple ${DOALL_CROSS}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triple}/pkgconfig:/usr/share/pkgconfig)
find_program(DOALL_EMULATOR NAMES qemu-${DOALL_CROSS} qemu-${DOALL_CROSS}-static)
if(DOALL_EMULATOR)
  # What the cross compiler brings lies there; all else where it would on that machine.
  set(CMAKE_CROSSCOMPILING_EMULATOR ${DOALL_EMULATOR} -L /usr/${triple})
endif()
