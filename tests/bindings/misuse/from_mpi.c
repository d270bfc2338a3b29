/* The rows of misuse.txt of communicators from MPI, in C. Usage, under mpirun on two ranks:
 * bindings_from_mpi_c OPERATION MISUSE...: prints a line "OPERATION MISUSE OUTCOME" for each pair.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
/* after mpi.h */
#include <cuboid.h>

static int rank;

static const char* name_of(int code) {
  switch (code) {
    case CUBOID_SUCCESS: return "success";
    case CUBOID_INVALID_ARGUMENT: return "invalid_argument";
    default: return cuboid_error_message();
  }
}

static int make(const char* operation, MPI_Comm from, cuboid_communicator* made) {
  return strcmp(operation, "communicator_from_mpi") == 0
             ? cuboid_communicator_from_mpi(from, made)
             : cuboid_communicator_from_mpi_fortran(MPI_Comm_c2f(from), made);
}

/* Makes a communicator, uses it, and frees it. */
static const char* use(const char* operation, MPI_Comm from) {
  cuboid_communicator made = NULL;
  double data[1000] = {0};
  int code = make(operation, from, &made);
  if (code == CUBOID_SUCCESS)
    code = cuboid_allreduce(CUBOID_IN_PLACE, data, 1000, CUBOID_FLOAT64, CUBOID_SUM, made);
  if (code == CUBOID_SUCCESS) code = cuboid_communicator_free(&made);
  return name_of(code);
}

/* A receive of any message that the program has pending gets none of Cuboid's. */
static const char* beside_a_receive(const char* operation) {
  int came = 0;
  int word = rank;
  int received = -1;
  MPI_Request request;
  const char* outcome;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  outcome = use(operation, MPI_COMM_WORLD);
  MPI_Test(&request, &came, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD); /* else the other rank's message may be there already */
  if (came) return "a message of Cuboid's was received";
  MPI_Send(&word, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return received == 1 - rank ? outcome : "another message was received";
}

static const char* between_groups(const char* operation) {
  MPI_Comm between;
  const char* outcome;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 7, &between);
  outcome = use(operation, between);
  MPI_Comm_free(&between);
  return outcome;
}

static const char* outcome_of(const char* operation, const char* misuse) {
  if (strcmp(misuse, "nothing") == 0) return use(operation, MPI_COMM_WORLD);
  if (strcmp(misuse, "null_communicator") == 0) return use(operation, MPI_COMM_NULL);
  if (strcmp(misuse, "two_groups") == 0) return between_groups(operation);
  if (strcmp(misuse, "pending_receive") == 0) return beside_a_receive(operation);
  if (strcmp(misuse, "no_result") == 0) return name_of(make(operation, MPI_COMM_WORLD, NULL));
  return "unknown";
}

int main(int argc, char** argv) {
  int at;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (at = 1; at + 1 < argc; at += 2)
    printf("%s %s %s\n", argv[at], argv[at + 1], outcome_of(argv[at], argv[at + 1]));
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
