#include "forms.h"

#include "check.h"

#include <stdint.h>
#include <string.h>

enum { MOST = 8, BLOCK = 3, LENGTH = MOST * BLOCK };

struct memory {
  int32_t input[LENGTH];
  int32_t output[LENGTH];
};

/* The contents before a call: other numbers on each rank, other numbers in input and output. */
static void fill(struct memory* memory, int rank) {
  int i;
  for (i = 0; i < LENGTH; ++i) {
    memory->input[i] = 1000 * rank + i;
    memory->output[i] = -1 - rank;
  }
}

/* Runs cuboid_OPERATION(...) in its three forms, which must leave the same memory behind. */
#define THREE_FORMS(operation, ...)                                      \
  do {                                                                   \
    fill(&memory, rank);                                                 \
    OK(cuboid_##operation(__VA_ARGS__, communicator));                   \
    expected = memory;                                                   \
    fill(&memory, rank);                                                 \
    OK(cuboid_##operation##_start(__VA_ARGS__, communicator, &request)); \
    OK(cuboid_wait(&request));                                           \
    CHECK(memcmp(&memory, &expected, sizeof memory) == 0 && #operation); \
    fill(&memory, rank);                                                 \
    OK(cuboid_##operation##_plan(__VA_ARGS__, communicator, &plan));     \
    OK(cuboid_plan_run(plan));                                           \
    CHECK(memcmp(&memory, &expected, sizeof memory) == 0 && #operation); \
    OK(cuboid_plan_free(&plan));                                         \
  } while (0)

/* A message to the next rank, started and planned. A rank sends itself none. */
static void messages(cuboid_communicator communicator, int rank, int size) {
  struct memory memory;
  int32_t* const in = memory.input;
  int32_t* const out = memory.output;
  cuboid_request requests[2] = {NULL, NULL};
  cuboid_plan plans[2] = {NULL, NULL};
  const cuboid_datatype type = CUBOID_INT32;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int r;

  fill(&memory, rank);
  OK(cuboid_receive_start(out, BLOCK, type, previous, 5, communicator, &requests[0]));
  OK(cuboid_send_start(in, BLOCK, type, next, 5, communicator, &requests[1]));
  OK(cuboid_wait_all(2, requests));
  CHECK(out[0] == 1000 * previous);
  fill(&memory, rank);
  OK(cuboid_receive_plan(out, BLOCK, type, previous, 6, communicator, &plans[0]));
  OK(cuboid_send_plan(in, BLOCK, type, next, 6, communicator, &plans[1]));
  for (r = 0; r < 2; ++r) OK(cuboid_plan_start(plans[r], &requests[r]));
  OK(cuboid_wait_all(2, requests));
  CHECK(out[0] == 1000 * previous);
  for (r = 0; r < 2; ++r) OK(cuboid_plan_free(&plans[r]));
}

void forms(cuboid_communicator communicator) {
  struct memory memory;
  struct memory expected;
  int32_t* const in = memory.input;
  int32_t* const out = memory.output;
  cuboid_request request = NULL;
  cuboid_plan plan = NULL;
  cuboid_neighbourhood ring = NULL;
  size_t counts[MOST];
  size_t places[MOST];
  const size_t block = BLOCK;
  const size_t two[2] = {1, 2};  /* to the rank below, to the rank above */
  const size_t back[2] = {2, 1}; /* what these send */
  const int wraps = 1;
  const cuboid_datatype type = CUBOID_INT32;
  int rank = -1;
  int size = 0;
  int next;
  int previous;
  int r;

  OK(cuboid_communicator_rank(communicator, &rank));
  OK(cuboid_communicator_size(communicator, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (r = 0; r < size; ++r) {
    counts[r] = block;
    places[r] = (size_t)(size - 1 - r) * block; /* the blocks in reverse */
  }

  THREE_FORMS(broadcast, out, LENGTH, type, 0);
  CHECK(out[0] == -1);
  THREE_FORMS(reduce, in, out, BLOCK, type, CUBOID_SUM, size - 1);
  THREE_FORMS(allreduce, in, out, BLOCK, type, CUBOID_MAXIMUM);
  CHECK(out[BLOCK - 1] == 1000 * (size - 1) + BLOCK - 1);
  THREE_FORMS(reduce_scatter, in, out, BLOCK, type, CUBOID_MINIMUM);
  THREE_FORMS(reduce_scatterv, in, out, counts, type, CUBOID_MINIMUM);
  CHECK(out[0] == rank * BLOCK);
  THREE_FORMS(allgather, in, BLOCK, type, out);
  CHECK(out[BLOCK * (size - 1)] == 1000 * (size - 1));
  THREE_FORMS(allgatherv, in, type, out, counts, places);
  CHECK(out[0] == 1000 * (size - 1));
  THREE_FORMS(gather, in, BLOCK, type, out, 0);
  THREE_FORMS(gatherv, in, BLOCK, type, out, counts, places, 0);
  CHECK(out[0] == (rank == 0 ? 1000 * (size - 1) : -1 - rank));
  THREE_FORMS(scatter, in, out, BLOCK, type, 0);
  CHECK(out[0] == rank * BLOCK);
  THREE_FORMS(scatterv, in, counts, places, out, BLOCK, type, 0);
  CHECK(out[0] == (size - 1 - rank) * BLOCK);
  THREE_FORMS(alltoall, in, out, BLOCK, type);
  CHECK(out[BLOCK * (size - 1)] == 1000 * (size - 1) + rank * BLOCK);
  THREE_FORMS(alltoallv, in, counts, places, out, counts, places, type);
  CHECK(out[0] == 1000 * (size - 1) + (size - 1 - rank) * BLOCK);
  THREE_FORMS(scan, in, out, BLOCK, type, CUBOID_MAXIMUM);
  THREE_FORMS(exscan, in, out, BLOCK, type, CUBOID_MAXIMUM);
  CHECK(out[0] == (rank == 0 ? -1 : 1000 * (rank - 1)));

  OK(cuboid_neighbourhood_grid(1, &size, &wraps, rank, &ring));
  THREE_FORMS(neighbour_allgather, in, BLOCK, type, out, ring);
  CHECK(out[0] == 1000 * previous && out[BLOCK] == 1000 * next);
  THREE_FORMS(neighbour_alltoall, in, out, BLOCK, type, ring);
  CHECK(out[0] == 1000 * previous + BLOCK && out[BLOCK] == 1000 * next);
  THREE_FORMS(neighbour_alltoallv, in, two, NULL, out, back, NULL, type, ring);
  CHECK(out[0] == 1000 * previous + 1 && out[2] == 1000 * next);
  OK(cuboid_neighbourhood_free(&ring));
  THREE_FORMS(exchange, in, BLOCK, next, out, BLOCK, previous, type, 4);
  CHECK(out[0] == 1000 * previous);

  if (size > 1) messages(communicator, rank, size);
  OK(cuboid_barrier_plan(communicator, &plan));
  OK(cuboid_plan_run(plan));
  OK(cuboid_plan_free(&plan));
}
