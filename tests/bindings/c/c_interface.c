/* Every function of the C interface, from C11: returns the number of checks that did not hold. */
#ifdef CUBOID_TEST_MPI
#include <mpi.h>
#endif
#include "check.h"
#include "factorisations.h"
#include "forms.h"

#include <cuboid.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, BLOCK = 5 };

_Thread_local int wrong;

static void collectives(cuboid_communicator communicator, int rank, int size) {
  double values[BLOCK * MOST];
  double result[BLOCK * MOST];
  const double sum = size * (size + 1) / 2.0;
  const int root = size - 1;
  const size_t all = (size_t)(BLOCK * size);
  int i;

  OK(cuboid_barrier(communicator));
  for (i = 0; i < BLOCK; ++i) values[i] = rank == root ? i : -1;
  OK(cuboid_broadcast(values, BLOCK, CUBOID_FLOAT64, root, communicator));
  for (i = 0; i < BLOCK; ++i) CHECK(values[i] == i);

  for (i = 0; i < BLOCK * size; ++i) values[i] = rank + 1;
  memset(result, 0, sizeof result);
  OK(cuboid_reduce(values, rank == root ? result : NULL, BLOCK, CUBOID_FLOAT64, CUBOID_SUM, root,
                   communicator));
  for (i = 0; i < BLOCK; ++i) CHECK(result[i] == (rank == root ? sum : 0));
  OK(cuboid_allreduce(values, result, BLOCK, CUBOID_FLOAT64, CUBOID_MAXIMUM, communicator));
  for (i = 0; i < BLOCK; ++i) CHECK(result[i] == size);
  for (i = 0; i < BLOCK; ++i) result[i] = rank + 1;
  OK(cuboid_allreduce(CUBOID_IN_PLACE, result, BLOCK, CUBOID_FLOAT64, CUBOID_SUM, communicator));
  for (i = 0; i < BLOCK; ++i) CHECK(result[i] == sum);
  OK(cuboid_reduce_scatter(values, result, BLOCK, CUBOID_FLOAT64, CUBOID_SUM, communicator));
  for (i = 0; i < BLOCK; ++i) CHECK(result[i] == sum);

  OK(cuboid_allgather(values, BLOCK, CUBOID_FLOAT64, result, communicator));
  for (i = 0; i < BLOCK * size; ++i) CHECK(result[i] == i / BLOCK + 1);
  memset(result, 0, sizeof result);
  for (i = 0; i < BLOCK; ++i) result[rank * BLOCK + i] = rank + 1;
  OK(cuboid_allgather(CUBOID_IN_PLACE, BLOCK, CUBOID_FLOAT64, result, communicator));
  for (i = 0; i < BLOCK * size; ++i) CHECK(result[i] == i / BLOCK + 1);
  memset(result, 0, sizeof result);
  OK(cuboid_gather(values, BLOCK, CUBOID_FLOAT64, rank == root ? result : NULL, root,
                   communicator));
  for (i = 0; i < BLOCK * size; ++i) CHECK(result[i] == (rank == root ? i / BLOCK + 1 : 0));
  for (i = 0; i < BLOCK * size; ++i) values[i] = rank == root ? i : -1;
  OK(cuboid_scatter(values, rank == root ? CUBOID_IN_PLACE : result, BLOCK, CUBOID_FLOAT64, root,
                    communicator));
  for (i = 0; rank != root && i < BLOCK; ++i) CHECK(result[i] == rank * BLOCK + i);
  for (i = 0; i < BLOCK * size; ++i) values[i] = 100 * rank + i / BLOCK;
  OK(cuboid_alltoall(values, result, BLOCK, CUBOID_FLOAT64, communicator));
  for (i = 0; i < BLOCK * size; ++i) CHECK(result[i] == 100 * (i / BLOCK) + rank);
  CHECK(all == (size_t)(BLOCK * size));
}

static void scans_and_locations(cuboid_communicator communicator, int rank, int size) {
  struct {
    double value;
    int32_t index;
  } mine = {rank == 1 ? -1.0 : rank, rank}, least = {0, -1};
  int64_t own = rank + 1;
  int64_t up_to = 0;
  int64_t below = -1;
  double average = rank;
  long double long_sum = rank;
  uint16_t halves[2] = {0x3c00, 0x3800}; /* 1 and 0.5 */
  uint16_t brain[1] = {0x3f80};          /* 1 */

  OK(cuboid_scan(&own, &up_to, 1, CUBOID_INT64, CUBOID_SUM, communicator));
  CHECK(up_to == (rank + 1) * (rank + 2) / 2);
  OK(cuboid_exscan(&own, &below, 1, CUBOID_INT64, CUBOID_SUM, communicator));
  CHECK(below == (rank == 0 ? -1 : rank * (rank + 1) / 2));
  OK(cuboid_scan(CUBOID_IN_PLACE, &own, 1, CUBOID_INT64, CUBOID_SUM, communicator));
  CHECK(own == up_to);
  CHECK(cuboid_datatype_bytes(CUBOID_LOCATED(CUBOID_FLOAT64, CUBOID_INT32)) == sizeof mine);
  OK(cuboid_allreduce(&mine, &least, 1, CUBOID_LOCATED(CUBOID_FLOAT64, CUBOID_INT32),
                      CUBOID_MINIMUM_LOCATION, communicator));
  CHECK(least.index == (size > 1 ? 1 : 0));
  OK(cuboid_allreduce(CUBOID_IN_PLACE, &average, 1, CUBOID_FLOAT64, CUBOID_AVERAGE, communicator));
  CHECK(average == (size - 1) / 2.0);
  OK(cuboid_allreduce(CUBOID_IN_PLACE, &long_sum, 1, CUBOID_LONG_DOUBLE, CUBOID_SUM, communicator));
  CHECK(long_sum == size * (size - 1) / 2);
  OK(cuboid_allreduce(CUBOID_IN_PLACE, halves, 2, CUBOID_FLOAT16, CUBOID_AVERAGE, communicator));
  CHECK(halves[0] == 0x3c00 && halves[1] == 0x3800);
  OK(cuboid_allreduce(CUBOID_IN_PLACE, brain, 1, CUBOID_BFLOAT16, CUBOID_MAXIMUM, communicator));
  CHECK(brain[0] == 0x3f80);
  CHECK(cuboid_scan(&own, &up_to, 1, CUBOID_FLOAT64, CUBOID_AVERAGE, communicator) ==
        CUBOID_INVALID_ARGUMENT);
}

static void neighbours(cuboid_communicator communicator, int rank, int size) {
  cuboid_neighbourhood ring = NULL;
  cuboid_neighbourhood forward = NULL;
  cuboid_request request = NULL;
  cuboid_plan plan = NULL;
  const int wraps = 1;
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  const int32_t both[2] = {10 * rank, 10 * rank + 1}; /* downwards, upwards */
  int32_t got[2] = {-1, -1};
  const size_t one = 1;

  OK(cuboid_neighbourhood_grid(1, &size, &wraps, rank, &ring));
  OK(cuboid_neighbour_alltoall(both, got, 1, CUBOID_INT32, ring, communicator));
  CHECK(got[0] == 10 * previous + 1 && got[1] == 10 * next);
  OK(cuboid_neighbour_allgather_start(both, 1, CUBOID_INT32, got, ring, communicator, &request));
  OK(cuboid_wait(&request));
  CHECK(got[0] == 10 * previous && got[1] == 10 * next);
  OK(cuboid_neighbourhood_graph(1, &previous, 1, &next, &forward));
  OK(cuboid_neighbour_alltoallv_plan(both, &one, NULL, got, &one, NULL, CUBOID_INT32, forward,
                                     communicator, &plan));
  got[0] = -1;
  OK(cuboid_plan_run(plan));
  CHECK(got[0] == 10 * previous);
  OK(cuboid_plan_free(&plan));
  OK(cuboid_neighbourhood_free(&ring));
  OK(cuboid_neighbourhood_free(&forward));
  CHECK(ring == NULL && forward == NULL);
}

/* Rank r's block has r elements, and there is a gap before each. */
static void blocks_of_different_lengths(cuboid_communicator communicator, int rank, int size) {
  int32_t input[MOST * MOST];
  int32_t output[MOST * (MOST + 1)];
  size_t counts[MOST];
  size_t places[MOST];
  size_t own[MOST];
  size_t own_places[MOST];
  size_t next = 0;
  int i;
  int r;
  for (r = 0; r < size; ++r) {
    counts[r] = (size_t)r;
    places[r] = ++next;
    next += counts[r];
    own[r] = (size_t)rank;
    own_places[r] = (size_t)(rank * r);
  }
  for (i = 0; i < MOST * MOST; ++i) input[i] = rank;

  for (i = 0; i < (int)next; ++i) output[i] = -1;
  OK(cuboid_allgatherv(input, CUBOID_INT32, output, counts, places, communicator));
  for (r = 0; r < size; ++r) {
    CHECK(output[places[r] - 1] == -1);
    for (i = 0; i < r; ++i) CHECK(output[(int)places[r] + i] == r);
  }
  for (i = 0; i < (int)next; ++i) output[i] = -1;
  OK(cuboid_gatherv(input, (size_t)rank, CUBOID_INT32, output, counts, places, 0, communicator));
  for (r = 0; rank == 0 && r < size; ++r) {
    for (i = 0; i < r; ++i) CHECK(output[(int)places[r] + i] == r);
  }
  OK(cuboid_scatterv(output, counts, places, input, (size_t)rank, CUBOID_INT32, 0, communicator));
  for (i = 0; i < rank; ++i) CHECK(input[i] == rank);
  OK(cuboid_reduce_scatterv(input, output, counts, CUBOID_INT32, CUBOID_MINIMUM, communicator));

  /* Everybody sends `rank` elements to each, and gets r from rank r. */
  for (i = 0; i < MOST * MOST; ++i) input[i] = rank;
  for (i = 0; i < (int)next; ++i) output[i] = -1;
  OK(cuboid_alltoallv(input, own, own_places, output, counts, places, CUBOID_INT32, communicator));
  for (r = 0; r < size; ++r) {
    for (i = 0; i < r; ++i) CHECK(output[(int)places[r] + i] == r);
  }
}

static void started_and_planned(cuboid_communicator communicator, int rank, int size) {
  cuboid_request requests[4] = {NULL, NULL, NULL, NULL};
  cuboid_plan plan = NULL;
  const char* name = NULL;
  int64_t sum = -1;
  int64_t mine = rank;
  int64_t cast = rank == 0 ? 77 : 0;
  int64_t got = -1;
  int complete = 0;
  int turn;

  OK(cuboid_allreduce_start(&mine, &sum, 1, CUBOID_INT64, CUBOID_SUM, communicator, &requests[0]));
  OK(cuboid_broadcast_start(&cast, 1, CUBOID_INT64, 0, communicator, &requests[1]));
  OK(cuboid_barrier_start(communicator, &requests[2]));
  OK(cuboid_exchange_start(&mine, 1, (rank + 1) % size, &got, 1, (rank + size - 1) % size,
                           CUBOID_INT64, 3, communicator, &requests[3]));
  OK(cuboid_wait(&requests[1]));
  CHECK(requests[1] == NULL && cast == 77);
  while (!complete) OK(cuboid_test(&requests[0], &complete));
  CHECK(requests[0] == NULL && sum == size * (size - 1) / 2);
  OK(cuboid_wait_all(4, requests));
  CHECK(requests[2] == NULL && requests[3] == NULL && got == (rank + size - 1) % size);

  OK(cuboid_allreduce_plan(&mine, &sum, 1, CUBOID_INT64, CUBOID_SUM, communicator, &plan));
  OK(cuboid_plan_algorithm(plan, &name));
  CHECK(name != NULL && *name != '\0');
  for (turn = 0; turn < 3; ++turn) {
    mine = rank + turn;
    if (turn == 0) {
      OK(cuboid_plan_start(plan, &requests[0]));
      OK(cuboid_wait(&requests[0]));
    } else {
      OK(cuboid_plan_run(plan));
    }
    CHECK(sum == size * (size - 1) / 2 + turn * size);
  }
  OK(cuboid_plan_free(&plan));
  CHECK(plan == NULL);
  if (size > 1 && rank == 0) OK(cuboid_send(&cast, 1, CUBOID_INT64, 1, 9, communicator));
  if (size > 1 && rank == 1) {
    OK(cuboid_receive(&got, 1, CUBOID_INT64, 0, 9, communicator));
    CHECK(got == 77);
  }
}

/* Not commutative: the last operand wins; counts its calls. */
struct item {
  int rank;
  char text[8];
};

static void last_wins(const void* left, const void* right, void* result, size_t count,
                      void* context) {
  (void)left;
  memmove(result, right, count * sizeof(struct item));
  ++*(int*)context;
}

static void own_types(cuboid_communicator communicator, int rank, int size) {
  struct item mine;
  struct item last;
  cuboid_reduction reduction = NULL;
  int calls = 0;
  memset(&mine, 0, sizeof mine);
  mine.rank = rank;
  CHECK(cuboid_datatype_bytes(sizeof mine) == sizeof mine);
  CHECK(cuboid_datatype_bytes(CUBOID_COMPLEX128) == 16 && cuboid_datatype_bytes(0) == 0);
  OK(cuboid_reduction_create(&last_wins, &calls, 0, &reduction));
  OK(cuboid_allreduce(&mine, &last, 1, sizeof mine, reduction, communicator));
  CHECK(last.rank == size - 1);
  OK(cuboid_reduction_free(&reduction));
  CHECK(reduction == NULL);
  reduction = CUBOID_SUM;
  CHECK(cuboid_reduction_free(&reduction) == CUBOID_INVALID_ARGUMENT);
}

static void communicators(cuboid_communicator communicator, int rank, int size) {
  cuboid_communicator part = NULL;
  cuboid_communicator copy = NULL;
  cuboid_communicator ruled = NULL;
  cuboid_communicator on_stream = NULL;
  cuboid_request request = NULL;
  struct cuboid_traffic traffic;
  int dimensions = -1;
  int extents[CUBOID_MAX_DIMENSIONS];
  int wraps[CUBOID_MAX_DIMENSIONS];
  int number = -1;
  int same = -1;

  OK(cuboid_communicator_split(communicator, rank % 2 == 0 ? 0 : -1, -rank, &part));
  CHECK((part != NULL) == (rank % 2 == 0));
  if (part != NULL) {
    OK(cuboid_communicator_size(part, &number));
    CHECK(number == (size + 1) / 2);
    OK(cuboid_communicator_rank(part, &number));
    CHECK(number == (size + 1) / 2 - 1 - rank / 2);
    OK(cuboid_communicator_free(&part));
  }
  OK(cuboid_communicator_duplicate(communicator, &copy));
  OK(cuboid_barrier(copy));
  OK(cuboid_communicator_free(&copy));
  OK(cuboid_communicator_with_algorithms(communicator, "broadcast:binomial", &ruled));
  OK(cuboid_broadcast(&number, 1, CUBOID_INT32, 0, ruled));
  OK(cuboid_communicator_free(&ruled));
  /* Without a device a stream has no work. */
  OK(cuboid_on_stream(communicator, NULL, &on_stream));
  OK(cuboid_broadcast_start(&number, 1, CUBOID_INT32, 0, on_stream, &request));
  OK(cuboid_wait_on_stream(&request, NULL));
  CHECK(request == NULL);
  OK(cuboid_communicator_free(&on_stream));
  OK(cuboid_communicator_progress(communicator));
  OK(cuboid_communicator_traffic(communicator, -1, &traffic));
  CHECK(size == 1 || traffic.messages_sent > 0);
  OK(cuboid_topology_shape(communicator, &dimensions, extents, wraps));
  CHECK(dimensions >= 0 && dimensions <= CUBOID_MAX_DIMENSIONS);
  OK(cuboid_topology_same_node(communicator, rank, &same));
  CHECK(same == 1);
}

/* Where nodes fill a box, every line is as long as its axis, with this rank in its place. */
static void topology(cuboid_communicator communicator, int rank) {
  cuboid_communicator line = NULL;
  int dimensions = -1;
  int extents[CUBOID_MAX_DIMENSIONS];
  int own[CUBOID_MAX_DIMENSIONS];
  int axis;
  OK(cuboid_topology_shape(communicator, &dimensions, extents, NULL));
  if (dimensions == 0) {
    CHECK(cuboid_topology_coordinate(communicator, rank, own) == CUBOID_UNSUPPORTED);
    CHECK(cuboid_topology_line(communicator, 0, &line) == CUBOID_UNSUPPORTED);
    return;
  }
  OK(cuboid_topology_coordinate(communicator, rank, own));
  for (axis = 0; axis < dimensions; ++axis) {
    int number = -1;
    OK(cuboid_topology_line(communicator, axis, &line));
    OK(cuboid_communicator_size(line, &number));
    CHECK(number == extents[axis]);
    OK(cuboid_communicator_rank(line, &number));
    CHECK(number == own[axis]);
    OK(cuboid_communicator_free(&line));
  }
  CHECK(cuboid_topology_line(communicator, dimensions, &line) == CUBOID_INVALID_ARGUMENT);
}

static void windows(cuboid_communicator communicator, int rank, int size) {
  cuboid_window window = NULL;
  void* memory = NULL;
  size_t bytes = 0;
  int32_t got = -1;
  const int32_t mine = rank;
  const int right = (rank + 1) % size;
  OK(cuboid_window_create(2 * sizeof mine, communicator, &window));
  OK(cuboid_window_memory(window, &memory, &bytes));
  CHECK(memory != NULL && bytes == 2 * sizeof mine);
  OK(cuboid_window_put(&mine, sizeof mine, right, sizeof mine, window));
  OK(cuboid_window_fence(window));
  CHECK(((int32_t*)memory)[1] == (rank + size - 1) % size);
  OK(cuboid_window_get(&got, sizeof got, right, sizeof mine, window));
  OK(cuboid_window_flush(window));
  CHECK(got == rank);
  OK(cuboid_window_fence(window));
  OK(cuboid_window_free(&window));
  CHECK(cuboid_window_create_on_device(sizeof mine, -1, communicator, &window) ==
        CUBOID_INVALID_ARGUMENT);
}

/* Whether every element of this rank's part is what a function of its row and column says. */
static int part_is(cuboid_matrix matrix, double (*value)(int64_t row, int64_t column)) {
  void* data = NULL;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading = 0;
  int64_t i;
  int64_t j;
  OK(cuboid_matrix_part(matrix, &data, &rows, &columns, &leading));
  for (j = 0; j < columns; ++j) {
    for (i = 0; i < rows; ++i) {
      int64_t row = -1;
      int64_t column = -1;
      OK(cuboid_matrix_global(matrix, i, j, &row, &column));
      if (((double*)data)[i + j * leading] != value(row, column)) return 0;
    }
  }
  return 1;
}

static double transposed_within(int64_t row, int64_t column) {
  const int inside = row >= 1 && row < 4 && column >= 2 && column < 7;
  return inside ? (double)(100 * (column - 2) + (row - 1)) : -1;
}

static double threefold(int64_t row, int64_t column) {
  return 3 * transposed_within(row, column);
}

/* Irregular blocks to a view of a matrix on one rank, and back and forth again. */
static void redistributions(cuboid_communicator communicator) {
  const int64_t row_cuts[] = {0, 2, 5};
  const int64_t column_cuts[] = {0, 1, 3};
  int owners[] = {0, 0, 0, 0};
  int last = 0;
  const struct cuboid_irregular_layout irregular = {2, 2, row_cuts, column_cuts, owners};
  const struct cuboid_layout around = {.m = 6,
                                       .n = 9,
                                       .row_block = 2,
                                       .column_block = 2,
                                       .grid_rows = 1,
                                       .grid_columns = 1,
                                       .ranks = &last};
  const double one = 1;
  const double two = 2;
  const double minus_one = -1;
  cuboid_matrix blocks = NULL;
  cuboid_matrix whole = NULL;
  cuboid_matrix other = NULL;
  cuboid_matrix part = NULL;
  cuboid_redistribution redistribution = NULL;
  struct cuboid_block block;
  int number;
  void* data = NULL;
  int64_t i;
  int64_t j;
  OK(cuboid_communicator_size(communicator, &last));
  --last;
  owners[1] = last;
  OK(cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, communicator, &blocks));
  OK(cuboid_matrix_create(&around, CUBOID_FLOAT64, communicator, &whole));
  OK(cuboid_matrix_create(&around, CUBOID_FLOAT64, communicator, &other));
  for (number = 0; cuboid_matrix_block(blocks, number, &block) == CUBOID_SUCCESS; ++number) {
    for (j = 0; j < block.columns; ++j) {
      for (i = 0; i < block.rows; ++i) {
        ((double*)block.data)[i + j * block.leading_dimension] =
            (double)(100 * (row_cuts[block.row] + i) + column_cuts[block.column] + j);
      }
    }
  }
  OK(cuboid_matrix_part(whole, &data, &i, &j, NULL));
  for (i = i * j - 1; i >= 0; --i) ((double*)data)[i] = -1;
  CHECK(cuboid_matrix_view(whole, 4, 0, 3, 9, &part) == CUBOID_INVALID_ARGUMENT && part == NULL);
  OK(cuboid_matrix_view(whole, 1, 2, 3, 5, &part));
  OK(cuboid_redistribute(CUBOID_TRANSPOSE, blocks, part));
  CHECK(part_is(whole, transposed_within));
  OK(cuboid_redistribute(CUBOID_NONE, whole, other));
  OK(cuboid_redistribute_add(&two, CUBOID_NONE, whole, &one, other));
  CHECK(part_is(other, threefold));
  OK(cuboid_redistribution_create(CUBOID_TRANSPOSE, part, blocks, &redistribution));
  OK(cuboid_redistribution_run(redistribution, &one, part, &minus_one, blocks));
  CHECK(cuboid_redistribution_run(redistribution, &one, whole, &one, blocks) ==
        CUBOID_INVALID_ARGUMENT);
  OK(cuboid_redistribution_free(&redistribution));
  for (number = 0; cuboid_matrix_block(blocks, number, &block) == CUBOID_SUCCESS; ++number)
    CHECK(((double*)block.data)[0] == 0);
  CHECK(cuboid_matrix_part(blocks, NULL, NULL, NULL, NULL) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_redistribute(CUBOID_NONE, blocks, part) == CUBOID_INVALID_ARGUMENT);
  OK(cuboid_matrix_free(&part));
  OK(cuboid_matrix_free(&other));
  OK(cuboid_matrix_free(&whole));
  OK(cuboid_matrix_free(&blocks));
}

static void matrices(cuboid_communicator communicator) {
  const struct cuboid_layout in_blocks = {.m = 40, .n = 30};
  const struct cuboid_layout cyclic = {.m = 30, .n = 50, .row_block = 4, .column_block = 3};
  const struct cuboid_layout of_product = {.m = 40, .n = 50, .row_block = 7, .column_block = 7};
  const struct cuboid_layout of_transposed = {.m = 50, .n = 40};
  cuboid_matrix a = NULL;
  cuboid_matrix b = NULL;
  cuboid_matrix c = NULL;
  cuboid_matrix d = NULL;
  cuboid_matrix e = NULL;
  cuboid_matrix single = NULL;
  cuboid_multiplication multiplication = NULL;
  const char* name = NULL;
  const double one = 1;
  const double two = 2;
  const double minus_one = -1;
  const double zero = 0;
  void* data = NULL;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t leading = 0;
  int64_t i;
  int64_t j;
  int device = 0;
  OK(cuboid_matrix_create(&in_blocks, CUBOID_FLOAT64, communicator, &a));
  OK(cuboid_matrix_device(a, &device));
  CHECK(device == -1);
  CHECK(cuboid_matrix_create_on_device(NULL, CUBOID_FLOAT64, 0, communicator, &b) ==
        CUBOID_INVALID_ARGUMENT);
  OK(cuboid_matrix_create(&cyclic, CUBOID_FLOAT64, communicator, &b));
  OK(cuboid_matrix_create(&of_product, CUBOID_FLOAT64, communicator, &c));
  OK(cuboid_matrix_create(&of_product, CUBOID_FLOAT64, communicator, &d));
  OK(cuboid_matrix_create(&of_transposed, CUBOID_FLOAT64, communicator, &e));
  OK(cuboid_matrix_create(&in_blocks, CUBOID_FLOAT32, communicator, &single));
  OK(cuboid_matrix_fill_random(a, 1));
  OK(cuboid_matrix_fill_random(b, 2));

  /* d = 2ab, then d - 2c with c planned, transposed there and back, is zero. */
  OK(cuboid_multiply(&two, CUBOID_NONE, a, CUBOID_NONE, b, &zero, d, NULL));
  OK(cuboid_multiplication_create(CUBOID_NONE, a, CUBOID_NONE, b, c, "summa", &multiplication));
  OK(cuboid_multiplication_algorithm(multiplication, &name));
  CHECK(name != NULL && strcmp(name, "summa") == 0);
  OK(cuboid_multiplication_run(multiplication, &one, a, b, &zero, c));
  OK(cuboid_multiplication_run(multiplication, &one, a, b, &one, c));
  OK(cuboid_multiplication_run(multiplication, &minus_one, a, b, &one, d));
  OK(cuboid_multiplication_free(&multiplication));
  OK(cuboid_redistribute(CUBOID_TRANSPOSE, d, e));
  OK(cuboid_redistribute(CUBOID_TRANSPOSE, e, d));
  OK(cuboid_multiply(&minus_one, CUBOID_NONE, a, CUBOID_NONE, b, &two, d, NULL));
  OK(cuboid_matrix_part(d, &data, &rows, &columns, &leading));
  for (j = 0; j < columns; ++j) {
    for (i = 0; i < rows; ++i) {
      int64_t row = -1;
      int64_t column = -1;
      const double value = ((double*)data)[i + j * leading];
      OK(cuboid_matrix_global(d, i, j, &row, &column));
      CHECK(row >= i && row < 40 && column >= j && column < 50);
      /* (2ab - ab) * 2 - ab = ab, which c is twice of. */
      ((double*)data)[i + j * leading] = value;
    }
  }
  {
    void* twice = NULL;
    int64_t twice_leading = 0;
    OK(cuboid_matrix_part(c, &twice, NULL, NULL, &twice_leading));
    for (j = 0; j < columns; ++j) {
      for (i = 0; i < rows; ++i) {
        CHECK(fabs(2 * ((double*)data)[i + j * leading] - ((double*)twice)[i + j * twice_leading]) <
              1e-12);
      }
    }
  }
  CHECK(cuboid_multiply(&one, CUBOID_NONE, single, CUBOID_NONE, b, &zero, c, NULL) ==
        CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_multiply(&one, CUBOID_NONE, a, CUBOID_NONE, b, &zero, c, "no such") !=
        CUBOID_SUCCESS);
  {
    double memory[40 * 30];
    OK(cuboid_matrix_part(a, NULL, &rows, NULL, NULL));
    cuboid_matrix wrapped = NULL;
    OK(cuboid_matrix_wrap(&in_blocks, CUBOID_FLOAT64, memory, rows > 0 ? rows : 1, communicator,
                          &wrapped));
    OK(cuboid_redistribute(CUBOID_NONE, a, wrapped));
    OK(cuboid_matrix_part(a, &data, NULL, NULL, NULL));
    CHECK(rows == 0 || memory[0] == ((double*)data)[0]);
    OK(cuboid_matrix_free(&wrapped));
  }
  OK(cuboid_matrix_free(&a));
  OK(cuboid_matrix_free(&b));
  OK(cuboid_matrix_free(&c));
  OK(cuboid_matrix_free(&d));
  OK(cuboid_matrix_free(&e));
  OK(cuboid_matrix_free(&single));
}

static void errors(cuboid_communicator communicator, int size) {
  int value = 0;
  cuboid_communicator nobody = NULL;
  CHECK(cuboid_broadcast(&value, 1, CUBOID_INT32, size, communicator) == CUBOID_INVALID_ARGUMENT);
  CHECK(strstr(cuboid_error_message(), "root") != NULL);
  CHECK(cuboid_broadcast(&value, 1, -99, 0, communicator) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_barrier(NULL) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_wait(NULL) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_communicator_free(&nobody) == CUBOID_SUCCESS);
  CHECK(cuboid_allreduce(&value, &value, 1, CUBOID_BYTE, CUBOID_SUM, communicator) ==
        CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_allreduce(&value, &value, 1, CUBOID_INT32, NULL, communicator) ==
        CUBOID_INVALID_ARGUMENT);
}

static int everything(cuboid_communicator communicator, void* context) {
  int rank = -1;
  int size = 0;
  (void)context;
  wrong = 0;
  OK(cuboid_communicator_rank(communicator, &rank));
  OK(cuboid_communicator_size(communicator, &size));
  collectives(communicator, rank, size);
  scans_and_locations(communicator, rank, size);
  neighbours(communicator, rank, size);
  blocks_of_different_lengths(communicator, rank, size);
  started_and_planned(communicator, rank, size);
  own_types(communicator, rank, size);
  communicators(communicator, rank, size);
  topology(communicator, rank);
  windows(communicator, rank, size);
  matrices(communicator);
  forms(communicator);
  factorisations(communicator);
  redistributions(communicator);
  errors(communicator, size);
  return wrong;
}

#ifdef CUBOID_TEST_MPI

static int by_mpi(const void* mine, size_t bytes, void* all, void* context) {
  return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *(MPI_Comm*)context);
}

/* Ranks that find each other by a function are not MPI's, so MPI cannot carry their messages. */
static void exchanged(int rank, int size, MPI_Comm* world) {
  const char* const transport = getenv("CUBOID_TRANSPORT");
  cuboid_communicator communicator = NULL;
  const int code = cuboid_communicator_create(rank, size, &by_mpi, world, &communicator);
  if (transport != NULL && strcmp(transport, "mpi") == 0) {
    CHECK(code == CUBOID_UNSUPPORTED && communicator == NULL);
    return;
  }
  CHECK(code == CUBOID_SUCCESS);
  OK(cuboid_barrier(communicator));
  OK(cuboid_communicator_free(&communicator));
}

int main(int argc, char** argv) {
  cuboid_communicator communicator = NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  int rank = 0;
  int size = 0;
  int failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  OK(cuboid_communicator_from_mpi(world, &communicator));
  failed += everything(communicator, NULL);
  OK(cuboid_communicator_free(&communicator));
  OK(cuboid_communicator_from_mpi_fortran(MPI_Comm_c2f(world), &communicator));
  OK(cuboid_barrier(communicator));
  OK(cuboid_communicator_free(&communicator));
  exchanged(rank, size, &world);
  MPI_Finalize();
  return failed + wrong;
}

#else

/* Rank 0 gives up; the others go on without it. */
static int gives_up(cuboid_communicator communicator, void* context) {
  cuboid_communicator survivors = NULL;
  int rank = -1;
  int size = 0;
  int code;
  int32_t one = 1;
  wrong = 0;
  OK(cuboid_communicator_rank(communicator, &rank));
  /* The others' first barrier may fail as well. */
  code = cuboid_barrier(communicator);
  if (rank == 0) return 5;
  while (code == CUBOID_SUCCESS) code = cuboid_barrier(communicator);
  CHECK(code == CUBOID_PEER_FAILED);
  OK(cuboid_communicator_shrink(communicator, &survivors));
  OK(cuboid_communicator_size(survivors, &size));
  OK(cuboid_allreduce(CUBOID_IN_PLACE, &one, 1, CUBOID_INT32, CUBOID_SUM, survivors));
  CHECK(size == 2 && one == 2);
  OK(cuboid_communicator_free(&survivors));
  if (rank == 1) *(int*)context = wrong;
  return 0;
}

/* Rank 0 tells the others that it gives up, and why. */
static int revokes(cuboid_communicator communicator, void* context) {
  int rank = -1;
  int code = CUBOID_SUCCESS;
  wrong = 0;
  OK(cuboid_communicator_rank(communicator, &rank));
  if (rank == 0) {
    OK(cuboid_communicator_revoke(communicator, "no more input"));
    return 0;
  }
  while (code == CUBOID_SUCCESS) code = cuboid_barrier(communicator);
  CHECK(code == CUBOID_PEER_FAILED);
  CHECK(strstr(cuboid_error_message(), "no more input") != NULL);
  *(int*)context = wrong;
  return 0;
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 5, 8};
  size_t i;
  int failed = 0;
  int failed_survivors = -1;
  int failed_revoked = -1;
  cuboid_communicator nobody = NULL;
  CHECK(*cuboid_version() != '\0');
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    OK(cuboid_run_ranks(sizes[i], &everything, NULL));
    failed += wrong;
  }
  CHECK(cuboid_run_ranks(3, &gives_up, &failed_survivors) == CUBOID_PEER_FAILED);
  CHECK(failed_survivors == 0);
  CHECK(strstr(cuboid_error_message(), "returned 5") != NULL);
  (void)cuboid_run_ranks(2, &revokes, &failed_revoked);
  CHECK(failed_revoked == 0);
  CHECK(cuboid_run_ranks(0, &everything, NULL) == CUBOID_INVALID_ARGUMENT);
  CHECK(cuboid_communicator_from_pmix(&nobody) == CUBOID_UNSUPPORTED && nobody == NULL);
  CHECK(strstr(cuboid_error_message(), "srun --mpi=pmix") != NULL);
  return failed + wrong;
}

#endif
