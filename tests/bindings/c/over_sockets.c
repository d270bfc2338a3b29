/* Processes without MPI and without a launcher: they find each other over the sockets of their
 * parent, which gathers what all of them send and gives it to each. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3 };

_Thread_local int wrong = 0;

static int send_all(int to, const void* bytes, size_t length) {
  const char* next = bytes;
  while (length > 0) {
    const ssize_t sent = send(to, next, length, MSG_NOSIGNAL);
    if (sent <= 0) return 1;
    next += sent;
    length -= (size_t)sent;
  }
  return 0;
}

static int receive_all(int from, void* bytes, size_t length) {
  return recv(from, bytes, length, MSG_WAITALL) != (ssize_t)length;
}

/* The exchange function of a rank, whose context is its socket to the parent. */
static int over_socket(const void* mine, size_t bytes, void* all, void* context) {
  const int parent = *(const int*)context;
  const uint64_t length = bytes;
  if (send_all(parent, &length, sizeof length) || send_all(parent, mine, bytes)) return 1;
  return receive_all(parent, all, bytes * RANKS);
}

static int run_rank(int rank, int parent) {
  cuboid_communicator communicator = NULL;
  int64_t sum = rank + 1;
  OK(cuboid_communicator_create(rank, RANKS, &over_socket, &parent, &communicator));
  OK(cuboid_allreduce(CUBOID_IN_PLACE, &sum, 1, CUBOID_INT64, CUBOID_SUM, communicator));
  CHECK(sum == RANKS * (RANKS + 1) / 2);
  OK(cuboid_communicator_free(&communicator));
  return wrong != 0;
}

/* One exchange for all ranks; false once a rank has closed its socket. */
static int gather_once(const int* ranks) {
  uint64_t length = 0;
  char* all = NULL;
  int r;
  int failed = 0;
  for (r = 0; r < RANKS && !failed; ++r) {
    failed = receive_all(ranks[r], &length, sizeof length);
    if (failed) break;
    if (all == NULL) all = malloc(length * RANKS);
    failed = receive_all(ranks[r], all + (size_t)r * length, length);
  }
  for (r = 0; r < RANKS && !failed; ++r) failed = send_all(ranks[r], all, length * RANKS);
  free(all);
  return !failed;
}

int main(void) {
  int sockets[RANKS];
  int r;
  int failed = 0;
  for (r = 0; r < RANKS; ++r) {
    int ends[2];
    pid_t child;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      close(ends[0]);
      _exit(run_rank(r, ends[1]));
    }
    close(ends[1]);
    sockets[r] = ends[0];
  }
  while (gather_once(sockets)) continue;
  for (r = 0; r < RANKS; ++r) close(sockets[r]);
  for (r = 0; r < RANKS; ++r) {
    int status = -1;
    wait(&status);
    failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  return failed;
}
