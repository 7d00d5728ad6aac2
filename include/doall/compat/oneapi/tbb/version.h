// The version of oneTBB whose loops doall::compat answers to.
#ifndef DOALL_COMPAT_VERSION_H
#define DOALL_COMPAT_VERSION_H

#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8.0"
#define TBB_INTERFACE_VERSION_MAJOR 12
#define TBB_INTERFACE_VERSION_MINOR 8
#define TBB_INTERFACE_VERSION 12080
#define TBB_COMPATIBLE_INTERFACE_VERSION 12
#define TBB_BINARY_VERSION 12

// These headers are doall's, and the threads are libdoall's.
#define DOALL_COMPAT 1

namespace tbb {
inline namespace doall_v0 {

inline const char* TBB_runtime_version() { return TBB_VERSION_STRING; }
inline int TBB_runtime_interface_version() { return TBB_INTERFACE_VERSION; }

}  // namespace doall_v0
}  // namespace tbb

#endif
