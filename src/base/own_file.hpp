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
#include <ostream>
#include <streambuf>
#include <string>

namespace doall::base {

// The value of a variable that names a file, a folder or libraries, without blanks around it.
// Nothing when unset, or when the program has more rights than its caller.
std::optional<std::string> env_path(const char* name);

// open() with these flags; O_CREAT | O_EXCL makes a file that was not there, with permissions 0600.
// Returns the descriptor, or -1 with errno: ELOOP if the path is a link, EPERM if it is no regular
// file or another user's.
int open_own_file(const char* path, int flags);

// Writes to a descriptor, and closes it.
class descriptor_buffer : public std::streambuf {
 public:
  explicit descriptor_buffer(int descriptor);
  ~descriptor_buffer() override;
  descriptor_buffer(const descriptor_buffer&) = delete;
  descriptor_buffer& operator=(const descriptor_buffer&) = delete;

  bool close();  // whether all was written

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  int descriptor_;
  bool is_whole_;
  char waiting_[4096];
};

// Text for a file that open_own_file() may open. It fails as std::ofstream does.
class own_file : public std::ostream {
 public:
  explicit own_file(const char* path, int flags = 0);
  void close() {
    if (!buffer_.close()) setstate(failbit);
  }

 private:
  descriptor_buffer buffer_;
};

}  // namespace doall::base
