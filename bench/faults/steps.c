// Preloaded into a rank, it ends or stops it at a step of its start-up: a call of MPI or UCX, of
// another function than the one before, since looks repeat. The start-up begins behind MPI_Init,
// where MPI makes its ranks wait, and ends with MPI_Pcontrol.
//   CUBOID_FAULT_STEPS  a file that gets the names of the steps, one a line, as rank
//   CUBOID_FAULT_RANK
//                       takes them
//   CUBOID_FAULT_STEP   the number of the step, from 1, at which that rank is struck; none without
//   it CUBOID_FAULT_END    stop, else it is killed
// The functions are those that the program takes from MPI and UCX: nm lists them when this is
// built.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counts = 0;
static int number = 0;
static const char* before = "";

static int is_struck_rank(void) {
  const char* const wanted = getenv("CUBOID_FAULT_RANK");
  const char* mine = getenv("OMPI_COMM_WORLD_RANK");
  if (mine == NULL) mine = getenv("PMI_RANK");
  return wanted != NULL && mine != NULL && strcmp(wanted, mine) == 0;
}

static void note(const char* name) {
  const char* const path = getenv("CUBOID_FAULT_STEPS");
  const int file = path == NULL ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  char line[128];
  const size_t length = strlen(name) < sizeof line - 1 ? strlen(name) : sizeof line - 1;
  memcpy(line, name, length);
  line[length] = '\n';
  if (write(file, line, length + 1) < 0) abort();
  close(file);
}

static void take_step(const char* name) {
  if (!counts) {
    counts = strncmp(name, "MPI_Init_", 9) == 0 && is_struck_rank();
    return;
  }
  if (strcmp(name, "MPI_Pcontrol") == 0) counts = 0;
  if (!counts || strcmp(name, before) == 0) return;
  before = name;
  ++number;
  note(name);
  const char* const step = getenv("CUBOID_FAULT_STEP");
  if (step == NULL || atoi(step) != number) return;
  const char* const end = getenv("CUBOID_FAULT_END");
  raise(end != NULL && strcmp(end, "stop") == 0 ? SIGSTOP : SIGKILL);
}

#define STEP(name)                                                                            \
  void* name(void) {                                                                          \
    static void (*behind)();                                                                  \
    enum { bytes_of_arguments_on_the_stack = 128 };                                           \
    if (behind == NULL) *(void**)&behind = dlsym(RTLD_NEXT, #name);                           \
    void* const arguments = __builtin_apply_args();                                           \
    take_step(#name);                                                                         \
    void* const result = __builtin_apply(behind, arguments, bytes_of_arguments_on_the_stack); \
    __builtin_return(result);                                                                 \
  }
#include "steps.inc"
