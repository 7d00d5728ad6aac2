// Files that a process leaves of its own accord, in folders that others may be able to write to.
//
// What is made is its owner's alone, for it names paths and command lines. What is opened again is
// a regular file that belongs to this user, or to the folder's owner (where a file system gives all
// files one), and no link: nobody can have a process write through a link, or take another's file
// for its own. A program with more rights than
// its caller has (set-user-id, set-group-id, capabilities) gets no file, folder or library named by
// the environment.
#pragma once

#include <optional>
#include <string>

namespace doall::base {

// The value of a variable that names a file, a folder or libraries, without blanks around it.
// Nothing when unset, or when the program has more rights than its caller.
std::optional<std::string> env_path(const char* name);

// open() with these flags; O_CREAT | O_EXCL makes a file that was not there, with permissions 0600.
// Returns the descriptor, or -1 with errno: ELOOP if the path is a link, EPERM if it is no regular
// file or another user's.
int open_own_file(const char* path, int flags);

}  // namespace doall::base
