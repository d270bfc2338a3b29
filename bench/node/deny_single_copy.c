/* A library to preload: only UCX may read the memory of other processes, so Cuboid leaves messages
 * of more than a segment (8 KiB) within a node to UCX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t process_vm_readv(pid_t process, const struct iovec* local, unsigned long local_count,
                         const struct iovec* remote, unsigned long remote_count,
                         unsigned long flags) {
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) == 0 ||
      strstr(caller.dli_fname, "libuct") == NULL) {
    errno = EPERM;
    return -1;
  }
  return syscall(SYS_process_vm_readv, process, local, local_count, remote, remote_count, flags);
}
