/* The rows of misuse.txt that C can express. Usage: bindings_misuse_c misuse.txt [compared]: with
 * the second, the rows that only ranks that compare their calls find (CUBOID_CHECK=collective). */
#include <cuboid.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4, RANKS = 3, MOST_ROWS = 1024 };

struct row {
  char operation[64], misuse[64], error[64];
};

static struct row rows[MOST_ROWS];
static int row_count;

/* The rows of this interface. */
static void read_rows(const char* path, int compared) {
  FILE* const table = fopen(path, "r");
  char line[256];
  while (table != NULL && row_count < MOST_ROWS && fgets(line, sizeof line, table) != NULL) {
    struct row* const row = &rows[row_count];
    char interfaces[64];
    char* interface;
    if (sscanf(line, "%63s %63s %63s %63s", row->operation, row->misuse, row->error, interfaces) !=
        4)
      continue;
    if (line[0] == '#' || (strcmp(row->misuse, "ranks_differ") == 0) != compared) continue;
    for (interface = strtok(interfaces, ","); interface != NULL; interface = strtok(NULL, ","))
      if (strcmp(interface, "c") == 0) ++row_count;
  }
  if (table != NULL) fclose(table);
}

static const char* name_of(int code) {
  static const char* const names[] = {"success",     "invalid_argument", "mismatch", "timeout",
                                      "peer_failed", "out_of_memory",    "io",       "parse",
                                      "unsupported", "internal"};
  return code >= 0 && code < 10 ? names[code] : "unknown";
}

struct side {
  void* data;
  size_t count; /* of what the C function takes */
  size_t lengths[RANKS], places[RANKS];
  const size_t *counts, *displacements;
};

/* The arguments of a call, which a misuse changes. */
struct arguments {
  double memory[4 * BLOCK * RANKS];
  struct side in, out;
  cuboid_datatype type;
  cuboid_reduction reduction;
  int root, destination, source, number;
  cuboid_neighbourhood ring;
  cuboid_communicator communicator;
  int no_handle; /* for the started and planned forms */
};

enum form { NOW, STARTED, PLANNED };

/* A call in one form, run to its end. */
#define CALL(name, ...)                                                                           \
  do {                                                                                            \
    cuboid_request request = NULL;                                                                \
    cuboid_plan plan = NULL;                                                                      \
    int code;                                                                                     \
    if (form == NOW) return a->no_handle ? -1 : cuboid_##name(__VA_ARGS__, a->communicator);      \
    if (form == STARTED) {                                                                        \
      code = cuboid_##name##_start(__VA_ARGS__, a->communicator, a->no_handle ? NULL : &request); \
      return code != CUBOID_SUCCESS ? code : cuboid_wait(&request);                               \
    }                                                                                             \
    code = cuboid_##name##_plan(__VA_ARGS__, a->communicator, a->no_handle ? NULL : &plan);       \
    if (code == CUBOID_SUCCESS) code = cuboid_plan_run(plan);                                     \
    cuboid_plan_free(&plan);                                                                      \
    return code;                                                                                  \
  } while (0)

static int call(const char* name, struct arguments* a, enum form form) {
  const struct side* const in = &a->in;
  const struct side* const out = &a->out;
  if (strcmp(name, "broadcast") == 0) CALL(broadcast, out->data, in->count, a->type, a->root);
  if (strcmp(name, "reduce") == 0)
    CALL(reduce, in->data, out->data, in->count, a->type, a->reduction, a->root);
  if (strcmp(name, "allreduce") == 0)
    CALL(allreduce, in->data, out->data, in->count, a->type, a->reduction);
  if (strcmp(name, "scan") == 0) CALL(scan, in->data, out->data, in->count, a->type, a->reduction);
  if (strcmp(name, "exscan") == 0)
    CALL(exscan, in->data, out->data, in->count, a->type, a->reduction);
  if (strcmp(name, "reduce_scatter") == 0)
    CALL(reduce_scatter, in->data, out->data, in->count, a->type, a->reduction);
  if (strcmp(name, "reduce_scatterv") == 0)
    CALL(reduce_scatterv, in->data, out->data, in->counts, a->type, a->reduction);
  if (strcmp(name, "allgather") == 0) CALL(allgather, in->data, in->count, a->type, out->data);
  if (strcmp(name, "allgatherv") == 0)
    CALL(allgatherv, in->data, a->type, out->data, out->counts, out->displacements);
  if (strcmp(name, "gather") == 0) CALL(gather, in->data, in->count, a->type, out->data, a->root);
  if (strcmp(name, "gatherv") == 0)
    CALL(gatherv, in->data, in->count, a->type, out->data, out->counts, out->displacements,
         a->root);
  if (strcmp(name, "scatter") == 0) CALL(scatter, in->data, out->data, in->count, a->type, a->root);
  if (strcmp(name, "scatterv") == 0)
    CALL(scatterv, in->data, in->counts, in->displacements, out->data, in->count, a->type, a->root);
  if (strcmp(name, "alltoall") == 0) CALL(alltoall, in->data, out->data, in->count, a->type);
  if (strcmp(name, "alltoallv") == 0)
    CALL(alltoallv, in->data, in->counts, in->displacements, out->data, out->counts,
         out->displacements, a->type);
  if (strcmp(name, "neighbour_allgather") == 0)
    CALL(neighbour_allgather, in->data, in->count, a->type, out->data, a->ring);
  if (strcmp(name, "neighbour_alltoall") == 0)
    CALL(neighbour_alltoall, in->data, out->data, in->count, a->type, a->ring);
  if (strcmp(name, "neighbour_alltoallv") == 0)
    CALL(neighbour_alltoallv, in->data, in->counts, in->displacements, out->data, out->counts,
         out->displacements, a->type, a->ring);
  if (strcmp(name, "send") == 0)
    CALL(send, in->data, in->count, a->type, a->destination, a->number);
  if (strcmp(name, "receive") == 0)
    CALL(receive, out->data, in->count, a->type, a->source, a->number);
  if (strcmp(name, "exchange") == 0)
    CALL(exchange, in->data, in->count, a->destination, out->data, in->count, a->source, a->type,
         a->number);
  return -2;
}

/* Changes the arguments; 0 for a misuse that is not known. */
static int misuse(const char* how, struct arguments* a, int rank, int size) {
  struct side* const sides[2] = {&a->in, &a->out};
  const size_t huge = (size_t)1 << 63;
  int i;
  if (strcmp(how, "null_input") == 0)
    a->in.data = NULL;
  else if (strcmp(how, "null_output") == 0)
    a->out.data = NULL;
  else if (strcmp(how, "in_place_input") == 0)
    a->in.data = CUBOID_IN_PLACE;
  else if (strcmp(how, "in_place_output") == 0)
    a->out.data = CUBOID_IN_PLACE;
  else if (strcmp(how, "overlap") == 0)
    a->out.data = (double*)a->in.data + 1;
  else if (strcmp(how, "huge_count") == 0)
    a->in.count = huge;
  else if (strcmp(how, "counts_wrap") == 0)
    for (i = 0; i < 2; ++i) sides[i]->lengths[0] = sides[i]->lengths[1] = huge;
  else if (strcmp(how, "counts_missing") == 0)
    a->in.counts = a->out.counts = NULL;
  else if (strcmp(how, "displacement_wraps") == 0)
    for (i = 0; i < 2; ++i) sides[i]->displacements = sides[i]->places;
  else if (strcmp(how, "root_negative") == 0)
    a->root = -1;
  else if (strcmp(how, "root_large") == 0)
    a->root = size;
  else if (strcmp(how, "destination_large") == 0)
    a->destination = size;
  else if (strcmp(how, "source_negative") == 0)
    a->source = -1;
  else if (strcmp(how, "number_negative") == 0)
    a->number = -1;
  else if (strcmp(how, "number_large") == 0)
    a->number = 32768;
  else if (strcmp(how, "type_unknown") == 0)
    a->type = -99;
  else if (strcmp(how, "type_empty") == 0)
    a->type = 0;
  else if (strcmp(how, "reduction_undefined") == 0)
    a->reduction = CUBOID_BITWISE_AND;
  else if (strcmp(how, "reduction_average") == 0)
    a->reduction = CUBOID_AVERAGE;
  else if (strcmp(how, "reduction_unknown") == 0)
    a->reduction = (cuboid_reduction)(intptr_t)99;
  else if (strcmp(how, "reduction_null") == 0)
    a->reduction = NULL;
  else if (strcmp(how, "no_communicator") == 0)
    a->communicator = NULL;
  else if (strcmp(how, "no_neighbourhood") == 0)
    a->ring = NULL;
  else if (strcmp(how, "no_result") == 0)
    a->no_handle = 1;
  else if (strcmp(how, "ranks_differ") == 0)
    a->in.count += rank == 1;
  else
    return strcmp(how, "nothing") == 0;
  return 1;
}

/* Whether this rank makes the call: what only the root looks at is wrong only there. */
static int made_here(const struct row* row, const struct arguments* a, int rank) {
  static const char* const rooted[] = {"gather", "gatherv", "scatter", "scatterv", "reduce"};
  static const char* const by_all[] = {"nothing", "ranks_differ", "root",      "reduction",
                                       "type",    "no_",          "huge_count"};
  size_t i;
  for (i = 0; i < sizeof by_all / sizeof by_all[0]; ++i)
    if (strncmp(row->misuse, by_all[i], strlen(by_all[i])) == 0) return 1;
  for (i = 0; i < sizeof rooted / sizeof rooted[0]; ++i)
    if (strcmp(row->operation, rooted[i]) == 0) return rank == a->root;
  return 1;
}

static int wrong_collective(const struct row* row, cuboid_communicator communicator, int rank,
                            int size) {
  static const enum form forms[] = {NOW, STARTED, PLANNED};
  int wrong = 0;
  int f;
  for (f = 0; f < 3; ++f) {
    struct arguments a;
    cuboid_neighbourhood ring = NULL;
    const int wraps = 1;
    int i;
    int code = CUBOID_SUCCESS;
    memset(&a, 0, sizeof a);
    a.in.data = a.memory;
    a.out.data = a.memory + 2 * BLOCK * RANKS;
    a.in.count = BLOCK;
    for (i = 0; i < RANKS; ++i) {
      a.in.lengths[i] = a.out.lengths[i] = BLOCK;
      a.in.places[i] = a.out.places[i] = SIZE_MAX;
    }
    a.in.counts = a.in.lengths;
    a.out.counts = a.out.lengths;
    a.type = CUBOID_FLOAT64;
    a.reduction = CUBOID_SUM;
    a.destination = (rank + 1) % size;
    a.source = (rank + size - 1) % size;
    a.communicator = communicator;
    cuboid_neighbourhood_grid(1, &size, &wraps, rank, &ring);
    a.ring = ring;
    if (!misuse(row->misuse, &a, rank, size)) return 1;
    if (made_here(row, &a, rank)) {
      code = call(row->operation, &a, forms[f]);
      wrong += code != -1 && strcmp(name_of(code), row->error) != 0;
    }
    cuboid_neighbourhood_free(&ring);
    if (cuboid_barrier(communicator) != CUBOID_SUCCESS) ++wrong;
  }
  return wrong;
}

static int exchange_nothing(const void* mine, size_t bytes, void* all, void* context) {
  (void)mine, (void)bytes, (void)all, (void)context;
  return 1;
}

static int body(cuboid_communicator communicator, void* context) {
  (void)communicator, (void)context;
  return 0;
}

static void combine(const void* left, const void* right, void* result, size_t count,
                    void* context) {
  (void)left, (void)right, (void)result, (void)count, (void)context;
}

/* What is made for the calls that are no collectives. */
struct objects {
  cuboid_communicator communicator;
  cuboid_window window;
  cuboid_matrix matrix, other, single, blocks; /* 9 x 9, 8 x 9, of float32, irregular */
  cuboid_factorisation factors;
  cuboid_qr_factorisation qr;
  int rank, size;
};

/* The code of such a call; -2 for a row that is not known. */
static int other(const struct row* row, const struct objects* o) {
  char name[130];
  double memory[81];
  const double one = 1;
  int number = 0, none = 0, *const no_int = NULL;
  int64_t long_number = 0;
  void* address = NULL;
  const char* text = NULL;
  cuboid_communicator made = NULL;
  cuboid_request request = NULL;
  cuboid_plan plan = NULL;
  cuboid_reduction reduction = NULL;
  cuboid_neighbourhood neighbourhood = NULL;
  cuboid_window window = NULL;
  cuboid_matrix matrix = NULL;
  cuboid_multiplication multiplication = NULL;
  cuboid_factorisation factorisation = NULL;
  cuboid_qr_factorisation qr = NULL;
  cuboid_redistribution redistribution = NULL;
  struct cuboid_traffic traffic;
  struct cuboid_block block;
  struct cuboid_layout layout = {.m = 9, .n = 9};
  const int64_t cuts[] = {0, 3, 2};
  const int64_t far_cuts[] = {0, INT64_MAX};
  const int owners[] = {0, 0};
  struct cuboid_irregular_layout irregular = {2, 1, cuts, cuts, owners};
  const cuboid_communicator c = o->communicator;
  const int nobody = o->size;
  snprintf(name, sizeof name, "%s %s", row->operation, row->misuse);
#define ROW(text, ...) \
  if (strcmp(name, text) == 0) return (__VA_ARGS__)
  ROW("barrier no_communicator", cuboid_barrier(NULL));
  ROW("barrier no_result", cuboid_barrier_start(c, NULL));
  ROW("communicator_create rank_large",
      cuboid_communicator_create(3, 3, &exchange_nothing, NULL, &made));
  ROW("communicator_create negative_size",
      cuboid_communicator_create(0, -1, &exchange_nothing, NULL, &made));
  ROW("communicator_create no_function", cuboid_communicator_create(0, 1, NULL, NULL, &made));
  ROW("communicator_create no_result",
      cuboid_communicator_create(0, 1, &exchange_nothing, NULL, NULL));
  ROW("communicator_create failing_function",
      cuboid_communicator_create(0, 1, &exchange_nothing, NULL, &made));
  ROW("communicator_from_pmix no_launcher", cuboid_communicator_from_pmix(&made));
  ROW("communicator_from_pmix no_result", cuboid_communicator_from_pmix(NULL));
  ROW("run_ranks none", cuboid_run_ranks(0, &body, NULL));
  ROW("run_ranks negative_size", cuboid_run_ranks(-3, &body, NULL));
  ROW("run_ranks no_function", cuboid_run_ranks(1, NULL, NULL));
  ROW("communicator_free no_result", cuboid_communicator_free(NULL));
  ROW("communicator_rank no_handle", cuboid_communicator_rank(NULL, &number));
  ROW("communicator_rank no_result", cuboid_communicator_rank(c, NULL));
  ROW("communicator_size no_handle", cuboid_communicator_size(NULL, &number));
  ROW("communicator_size no_result", cuboid_communicator_size(c, NULL));
  ROW("communicator_split no_handle", cuboid_communicator_split(NULL, 0, 0, &made));
  ROW("communicator_split no_result", cuboid_communicator_split(c, 0, 0, NULL));
  ROW("communicator_duplicate no_handle", cuboid_communicator_duplicate(NULL, &made));
  ROW("communicator_duplicate no_result", cuboid_communicator_duplicate(c, NULL));
  ROW("communicator_shrink no_handle", cuboid_communicator_shrink(NULL, &made));
  ROW("communicator_shrink no_result", cuboid_communicator_shrink(c, NULL));
  ROW("communicator_with_algorithms no_handle",
      cuboid_communicator_with_algorithms(NULL, "", &made));
  ROW("communicator_with_algorithms no_result", cuboid_communicator_with_algorithms(c, "", NULL));
  ROW("communicator_with_algorithms name_unknown",
      cuboid_communicator_with_algorithms(c, "broadcast:none_such", &made));
  ROW("on_stream no_handle", cuboid_on_stream(NULL, NULL, &made));
  ROW("on_stream no_result", cuboid_on_stream(c, NULL, NULL));
  ROW("communicator_revoke no_handle", cuboid_communicator_revoke(NULL, ""));
  ROW("communicator_progress no_handle", cuboid_communicator_progress(NULL));
  ROW("communicator_traffic no_handle", cuboid_communicator_traffic(NULL, -1, &traffic));
  ROW("communicator_traffic no_result", cuboid_communicator_traffic(c, -1, NULL));
  ROW("communicator_traffic peer_large", cuboid_communicator_traffic(c, nobody, &traffic));
  ROW("communicator_traffic peer_negative", cuboid_communicator_traffic(c, -2, &traffic));
  ROW("topology_shape no_handle", cuboid_topology_shape(NULL, &number, NULL, NULL));
  ROW("topology_shape no_result", cuboid_topology_shape(c, NULL, NULL, NULL));
  ROW("topology_coordinate no_handle", cuboid_topology_coordinate(NULL, 0, &number));
  ROW("topology_line no_handle", cuboid_topology_line(NULL, 0, &made));
  ROW("topology_same_node no_handle", cuboid_topology_same_node(NULL, 0, &number));
  ROW("topology_same_node no_result", cuboid_topology_same_node(c, 0, NULL));
  ROW("topology_same_node rank_large", cuboid_topology_same_node(c, nobody, &number));
  ROW("topology_same_node rank_negative", cuboid_topology_same_node(c, -1, &number));
  ROW("wait no_handle", cuboid_wait(&request));
  ROW("wait no_result", cuboid_wait(NULL));
  ROW("wait_on_stream no_handle", cuboid_wait_on_stream(&request, NULL));
  ROW("wait_on_stream no_result", cuboid_wait_on_stream(NULL, NULL));
  ROW("wait_all no_list", cuboid_wait_all(3, NULL));
  ROW("test no_handle", cuboid_test(&request, &number));
  ROW("test no_result", cuboid_test(&request, NULL));
  ROW("plan_start no_handle", cuboid_plan_start(NULL, &request));
  ROW("plan_run no_handle", cuboid_plan_run(NULL));
  ROW("plan_algorithm no_handle", cuboid_plan_algorithm(NULL, &text));
  ROW("plan_free no_result", cuboid_plan_free(NULL));
  ROW("plan_free no_handle", cuboid_plan_free(&plan));
  ROW("datatype_bytes type_unknown", cuboid_datatype_bytes(-99) == 0 ? CUBOID_INVALID_ARGUMENT : 0);
  ROW("reduction_create no_function", cuboid_reduction_create(NULL, NULL, 1, &reduction));
  ROW("reduction_create no_result", cuboid_reduction_create(&combine, NULL, 1, NULL));
  ROW("reduction_free no_result", cuboid_reduction_free(NULL));
  ROW("reduction_free no_handle", cuboid_reduction_free(&reduction));
  reduction = CUBOID_SUM;
  ROW("reduction_free built_in", cuboid_reduction_free(&reduction));
  reduction = (cuboid_reduction)(intptr_t)99;
  ROW("reduction_free reduction_unknown", cuboid_reduction_free(&reduction));
  ROW("neighbourhood_graph no_list", cuboid_neighbourhood_graph(2, NULL, 0, NULL, &neighbourhood));
  ROW("neighbourhood_graph no_result", cuboid_neighbourhood_graph(0, NULL, 0, NULL, NULL));
  ROW("neighbourhood_grid negative_size",
      cuboid_neighbourhood_grid(-3, &number, &none, 0, &neighbourhood));
  ROW("neighbourhood_grid huge_size",
      cuboid_neighbourhood_grid(INT_MAX, &number, &none, 0, &neighbourhood));
  ROW("neighbourhood_grid no_list", cuboid_neighbourhood_grid(1, NULL, NULL, 0, &neighbourhood));
  ROW("neighbourhood_grid rank_large",
      cuboid_neighbourhood_grid(1, &nobody, &none, nobody, &neighbourhood));
  number = -2;
  ROW("neighbourhood_grid negative_extent",
      cuboid_neighbourhood_grid(1, &number, &none, 0, &neighbourhood));
  ROW("neighbourhood_free no_result", cuboid_neighbourhood_free(NULL));
  ROW("window_create no_handle", cuboid_window_create(8, NULL, &window));
  ROW("window_create no_result", cuboid_window_create(8, c, NULL));
  ROW("window_create huge_count", cuboid_window_create((size_t)1 << 63, c, &window));
  ROW("window_create_on_device no_handle", cuboid_window_create_on_device(8, 0, NULL, &window));
  ROW("window_create_on_device negative_device", cuboid_window_create_on_device(8, -1, c, &window));
  ROW("window_free no_result", cuboid_window_free(NULL));
  ROW("window_memory no_handle", cuboid_window_memory(NULL, &address, NULL));
  ROW("window_memory no_result", cuboid_window_memory(o->window, NULL, NULL));
  ROW("window_put no_handle", cuboid_window_put(memory, 8, 0, 0, NULL));
  ROW("window_put null_input", cuboid_window_put(NULL, 8, 0, 0, o->window));
  ROW("window_put in_place_input", cuboid_window_put(CUBOID_IN_PLACE, 8, 0, 0, o->window));
  ROW("window_put outside", cuboid_window_put(memory, 8, 0, 1, o->window));
  ROW("window_put huge_count", cuboid_window_put(memory, SIZE_MAX, 0, 8, o->window));
  ROW("window_put peer_large", cuboid_window_put(memory, 8, nobody, 0, o->window));
  ROW("window_get no_handle", cuboid_window_get(memory, 8, 0, 0, NULL));
  ROW("window_get null_output", cuboid_window_get(NULL, 8, 0, 0, o->window));
  ROW("window_get in_place_output", cuboid_window_get(CUBOID_IN_PLACE, 8, 0, 0, o->window));
  ROW("window_get outside", cuboid_window_get(memory, 9, 0, 0, o->window));
  ROW("window_get peer_large", cuboid_window_get(memory, 8, nobody, 0, o->window));
  ROW("window_flush no_handle", cuboid_window_flush(NULL));
  ROW("window_fence no_handle", cuboid_window_fence(NULL));

  ROW("matrix_create_on_device no_handle",
      cuboid_matrix_create_on_device(&layout, CUBOID_FLOAT64, 0, NULL, &matrix));
  ROW("matrix_create_on_device negative_device",
      cuboid_matrix_create_on_device(&layout, CUBOID_FLOAT64, -1, c, &matrix));
  ROW("matrix_create no_handle", cuboid_matrix_create(&layout, CUBOID_FLOAT64, NULL, &matrix));
  ROW("matrix_create no_layout", cuboid_matrix_create(NULL, CUBOID_FLOAT64, c, &matrix));
  ROW("matrix_create no_result", cuboid_matrix_create(&layout, CUBOID_FLOAT64, c, NULL));
  ROW("matrix_create type_unknown", cuboid_matrix_create(&layout, CUBOID_INT32, c, &matrix));
  ROW("matrix_wrap null_data", cuboid_matrix_wrap(&layout, CUBOID_FLOAT64, NULL, 9, c, &matrix));
  ROW("matrix_wrap in_place_input",
      cuboid_matrix_wrap(&layout, CUBOID_FLOAT64, CUBOID_IN_PLACE, 9, c, &matrix));
  ROW("matrix_wrap short_leading",
      cuboid_matrix_wrap(&layout, CUBOID_FLOAT64, memory, 1, c, &matrix));
  ROW("matrix_wrap huge_leading",
      cuboid_matrix_wrap(&layout, CUBOID_FLOAT64, memory, INT64_MAX, c, &matrix));
  if (strcmp(row->operation, "matrix_create") == 0) {
    if (strcmp(row->misuse, "negative_size") == 0) layout.m = -1;
    if (strcmp(row->misuse, "huge_size") == 0) layout.m = layout.n = (int64_t)1 << 40;
    if (strcmp(row->misuse, "negative_block") == 0) layout.row_block = layout.column_block = -1;
    if (strcmp(row->misuse, "grid_large") == 0)
      layout.grid_rows = nobody + 1, layout.grid_columns = 1;
    if (strcmp(row->misuse, "grid_huge") == 0) layout.grid_rows = layout.grid_columns = INT_MAX;
    if (strcmp(row->misuse, "grid_negative") == 0) layout.grid_rows = layout.grid_columns = -1;
    if (strcmp(row->misuse, "first_outside") == 0)
      layout.row_block = layout.column_block = 2, layout.first_row = 9;
    return cuboid_matrix_create(&layout, CUBOID_FLOAT64, c, &matrix);
  }
  ROW("matrix_view no_handle", cuboid_matrix_view(NULL, 0, 0, 1, 1, &matrix));
  ROW("matrix_view no_result", cuboid_matrix_view(o->matrix, 0, 0, 1, 1, NULL));
  ROW("matrix_view outside", cuboid_matrix_view(o->matrix, 4, 0, 6, 9, &matrix));
  ROW("matrix_view negative_size", cuboid_matrix_view(o->matrix, 0, 0, -1, 9, &matrix));
  ROW("matrix_view huge_size", cuboid_matrix_view(o->matrix, INT64_MAX, 0, INT64_MAX, 9, &matrix));
  ROW("matrix_free no_result", cuboid_matrix_free(NULL));
  ROW("matrix_device no_handle", cuboid_matrix_device(NULL, &number));
  ROW("matrix_device no_result", cuboid_matrix_device(o->matrix, NULL));
  ROW("matrix_type no_handle", cuboid_matrix_type(NULL, &long_number));
  ROW("matrix_type no_result", cuboid_matrix_type(o->matrix, NULL));
  ROW("matrix_part no_handle", cuboid_matrix_part(NULL, NULL, NULL, NULL, NULL));
  ROW("matrix_part irregular", cuboid_matrix_part(o->blocks, NULL, NULL, NULL, NULL));
  ROW("matrix_global no_handle", cuboid_matrix_global(NULL, 0, 0, &long_number, &long_number));
  ROW("matrix_global outside",
      cuboid_matrix_global(o->matrix, 0, INT64_MAX, &long_number, &long_number));
  ROW("matrix_fill_random no_handle", cuboid_matrix_fill_random(NULL, 1));
  ROW("matrix_block no_handle", cuboid_matrix_block(NULL, 0, &block));
  ROW("matrix_block outside", cuboid_matrix_block(o->blocks, -1, &block));
  ROW("matrix_block regular", cuboid_matrix_block(o->matrix, 0, &block));
  ROW("multiply no_handle",
      cuboid_multiply(&one, CUBOID_NONE, NULL, CUBOID_NONE, o->matrix, &one, o->matrix, NULL));
  ROW("multiply no_output",
      cuboid_multiply(&one, CUBOID_NONE, o->matrix, CUBOID_NONE, o->matrix, &one, NULL, NULL));
  ROW("multiply null_scalar",
      cuboid_multiply(NULL, CUBOID_NONE, o->matrix, CUBOID_NONE, o->matrix, &one, o->other, NULL));
  ROW("multiply shapes_differ",
      cuboid_multiply(&one, CUBOID_NONE, o->matrix, CUBOID_NONE, o->other, &one, o->other, NULL));
  ROW("multiply types_differ",
      cuboid_multiply(&one, CUBOID_NONE, o->single, CUBOID_NONE, o->matrix, &one, o->other, NULL));
  ROW("multiply op_unknown", cuboid_multiply(&one, (enum cuboid_op)7, o->matrix, CUBOID_NONE,
                                             o->matrix, &one, o->other, NULL));
  ROW("multiply name_unknown", cuboid_multiply(&one, CUBOID_NONE, o->matrix, CUBOID_NONE, o->matrix,
                                               &one, o->other, "none_such"));
  ROW("multiply irregular",
      cuboid_multiply(&one, CUBOID_NONE, o->blocks, CUBOID_NONE, o->matrix, &one, o->other, NULL));
  ROW("multiplication_create no_handle",
      cuboid_multiplication_create(CUBOID_NONE, NULL, CUBOID_NONE, o->matrix, o->other, NULL,
                                   &multiplication));
  ROW("multiplication_create no_result",
      cuboid_multiplication_create(CUBOID_NONE, o->matrix, CUBOID_NONE, o->matrix, o->matrix, NULL,
                                   NULL));
  ROW("multiplication_run no_handle",
      cuboid_multiplication_run(NULL, &one, o->matrix, o->matrix, &one, o->other));
  ROW("multiplication_algorithm no_handle", cuboid_multiplication_algorithm(NULL, &text));
  ROW("multiplication_free no_result", cuboid_multiplication_free(NULL));
  ROW("factorise no_handle", cuboid_factorise(NULL, CUBOID_PIVOTING_NONE, &factorisation));
  ROW("factorise no_result", cuboid_factorise(o->matrix, CUBOID_PIVOTING_NONE, NULL));
  ROW("factorise op_unknown", cuboid_factorise(o->matrix, (enum cuboid_pivoting)7, &factorisation));
  ROW("cholesky no_handle", cuboid_cholesky(NULL, &factorisation));
  ROW("cholesky shapes_differ", cuboid_cholesky(o->other, &factorisation));
  ROW("factorisation_free no_result", cuboid_factorisation_free(NULL));
  ROW("factorisation_type no_handle", cuboid_factorisation_type(NULL, &long_number));
  ROW("factorisation_info no_handle", cuboid_factorisation_info(NULL, &long_number));
  ROW("factorisation_info no_result", cuboid_factorisation_info(o->factors, NULL));
  ROW("factorisation_is_finite no_handle", cuboid_factorisation_is_finite(NULL, &number));
  ROW("factorisation_is_finite no_result", cuboid_factorisation_is_finite(o->factors, NULL));
  ROW("factorisation_pivots no_handle", cuboid_factorisation_pivots(NULL, NULL, NULL));
  ROW("factorisation_copy no_handle", cuboid_factorisation_copy(NULL, o->matrix));
  ROW("factorisation_copy no_output", cuboid_factorisation_copy(o->factors, NULL));
  ROW("factorisation_copy shapes_differ", cuboid_factorisation_copy(o->factors, o->other));
  ROW("factorisation_solve no_handle", cuboid_factorisation_solve(NULL, CUBOID_NONE, o->matrix));
  ROW("factorisation_solve no_output", cuboid_factorisation_solve(o->factors, CUBOID_NONE, NULL));
  ROW("factorisation_solve shapes_differ",
      cuboid_factorisation_solve(o->factors, CUBOID_NONE, o->other));
  ROW("factorisation_determinant no_handle",
      cuboid_factorisation_determinant(NULL, memory, memory));
  ROW("factorisation_determinant no_result",
      cuboid_factorisation_determinant(o->factors, NULL, NULL));
  ROW("factorisation_reciprocal_condition no_handle",
      cuboid_factorisation_reciprocal_condition(NULL, memory));
  ROW("factorisation_reciprocal_condition_in_norm no_handle",
      cuboid_factorisation_reciprocal_condition_in_norm(NULL, CUBOID_NORM_ONE, memory));
  ROW("factorisation_reciprocal_condition_in_norm no_result",
      cuboid_factorisation_reciprocal_condition_in_norm(o->factors, CUBOID_NORM_ONE, NULL));
  ROW("factorisation_reciprocal_condition_in_norm op_unknown",
      cuboid_factorisation_reciprocal_condition_in_norm(o->factors, CUBOID_NORM_FROBENIUS, memory));
  ROW("factorisation_inverse no_handle", cuboid_factorisation_inverse(NULL, o->matrix));
  ROW("factorisation_inverse no_output", cuboid_factorisation_inverse(o->factors, NULL));
  ROW("factorisation_inverse shapes_differ", cuboid_factorisation_inverse(o->factors, o->other));
  ROW("solve_mixed no_handle", cuboid_solve_mixed(NULL, o->matrix, CUBOID_GENERAL, NULL, NULL));
  ROW("solve_mixed no_output", cuboid_solve_mixed(o->matrix, NULL, CUBOID_GENERAL, NULL, NULL));
  ROW("solve_mixed shapes_differ",
      cuboid_solve_mixed(o->matrix, o->other, CUBOID_GENERAL, NULL, NULL));
  ROW("solve_mixed op_unknown",
      cuboid_solve_mixed(o->matrix, o->matrix, (enum cuboid_matrix_class)2, NULL, NULL));
  ROW("norm no_handle", cuboid_norm(CUBOID_NORM_ONE, NULL, (double*)memory));
  ROW("norm no_result", cuboid_norm(CUBOID_NORM_ONE, o->matrix, NULL));
  ROW("norm op_unknown", cuboid_norm((enum cuboid_norm_kind)4, o->matrix, (double*)memory));
  ROW("laset no_handle", cuboid_laset(CUBOID_WHOLE, &one, &one, NULL));
  ROW("laset null_scalar", cuboid_laset(CUBOID_WHOLE, NULL, &one, o->matrix));
  ROW("laset op_unknown", cuboid_laset((enum cuboid_triangle)3, &one, &one, o->matrix));
  ROW("lacpy no_handle", cuboid_lacpy(CUBOID_WHOLE, NULL, o->matrix));
  ROW("lacpy op_unknown", cuboid_lacpy((enum cuboid_triangle)3, o->matrix, o->other));
  ROW("lacpy shapes_differ", cuboid_lacpy(CUBOID_WHOLE, o->matrix, o->other));
  ROW("lascl no_handle", cuboid_lascl(CUBOID_WHOLE, 1, 1, NULL));
  ROW("lascl op_unknown", cuboid_lascl((enum cuboid_triangle)3, 2, 1, o->matrix));
  ROW("lascl zero_divisor", cuboid_lascl(CUBOID_WHOLE, 0, 1, o->matrix));
  ROW("refine no_handle", cuboid_refine(NULL, o->matrix, o->matrix, o->matrix, 1));
  ROW("refine negative_steps", cuboid_refine(o->factors, o->matrix, o->matrix, o->matrix, -1));
  ROW("refine shapes_differ", cuboid_refine(o->factors, o->matrix, o->other, o->matrix, 1));
  ROW("solve no_handle", cuboid_solve(NULL, o->matrix));
  ROW("solve no_output", cuboid_solve(o->matrix, NULL));
  ROW("solve shapes_differ", cuboid_solve(o->matrix, o->other));
  ROW("trsm no_handle", cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL,
                                    &one, NULL, o->matrix));
  ROW("trsm null_scalar", cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL,
                                      NULL, o->matrix, o->matrix));
  ROW("trsm op_unknown", cuboid_trsm((enum cuboid_side)7, CUBOID_LOWER, CUBOID_NONE,
                                     CUBOID_UNIT_DIAGONAL, &one, o->matrix, o->matrix));
  ROW("trsm shapes_differ", cuboid_trsm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE,
                                        CUBOID_UNIT_DIAGONAL, &one, o->matrix, o->other));
  ROW("trtri no_handle", cuboid_trtri(CUBOID_LOWER, CUBOID_UNIT_DIAGONAL, NULL));
  ROW("trtri op_unknown", cuboid_trtri((enum cuboid_triangle)7, CUBOID_UNIT_DIAGONAL, o->matrix));
  ROW("trtri shapes_differ", cuboid_trtri(CUBOID_LOWER, CUBOID_UNIT_DIAGONAL, o->other));
  ROW("syrk no_handle", cuboid_syrk(CUBOID_LOWER, CUBOID_NONE, &one, NULL, &one, o->matrix));
  ROW("syrk null_scalar", cuboid_syrk(CUBOID_LOWER, CUBOID_NONE, NULL, o->matrix, &one, o->other));
  ROW("syrk op_unknown",
      cuboid_syrk((enum cuboid_triangle)7, CUBOID_NONE, &one, o->matrix, &one, o->other));
  ROW("syrk shapes_differ",
      cuboid_syrk(CUBOID_LOWER, CUBOID_NONE, &one, o->matrix, &one, o->other));
  ROW("herk no_handle", cuboid_herk(CUBOID_LOWER, CUBOID_NONE, &one, NULL, &one, o->matrix));
  ROW("herk shapes_differ",
      cuboid_herk(CUBOID_LOWER, CUBOID_NONE, &one, o->matrix, &one, o->other));
  ROW("syr2k no_handle",
      cuboid_syr2k(CUBOID_LOWER, CUBOID_NONE, &one, NULL, o->matrix, &one, o->matrix));
  ROW("syr2k shapes_differ",
      cuboid_syr2k(CUBOID_LOWER, CUBOID_NONE, &one, o->matrix, o->other, &one, o->matrix));
  ROW("her2k no_handle",
      cuboid_her2k(CUBOID_LOWER, CUBOID_NONE, &one, NULL, o->matrix, &one, o->matrix));
  ROW("her2k shapes_differ",
      cuboid_her2k(CUBOID_LOWER, CUBOID_NONE, &one, o->matrix, o->other, &one, o->matrix));
  ROW("symm no_handle",
      cuboid_symm(CUBOID_LEFT, CUBOID_LOWER, &one, NULL, o->matrix, &one, o->matrix));
  ROW("symm shapes_differ",
      cuboid_symm(CUBOID_LEFT, CUBOID_LOWER, &one, o->matrix, o->other, &one, o->matrix));
  ROW("hemm no_handle",
      cuboid_hemm(CUBOID_LEFT, CUBOID_LOWER, &one, NULL, o->matrix, &one, o->matrix));
  ROW("hemm shapes_differ",
      cuboid_hemm(CUBOID_LEFT, CUBOID_LOWER, &one, o->matrix, o->other, &one, o->matrix));
  ROW("trmm no_handle", cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL,
                                    &one, NULL, o->matrix));
  ROW("trmm null_scalar", cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE, CUBOID_UNIT_DIAGONAL,
                                      NULL, o->matrix, o->other));
  ROW("trmm op_unknown", cuboid_trmm((enum cuboid_side)7, CUBOID_LOWER, CUBOID_NONE,
                                     CUBOID_UNIT_DIAGONAL, &one, o->matrix, o->other));
  ROW("trmm shapes_differ", cuboid_trmm(CUBOID_LEFT, CUBOID_LOWER, CUBOID_NONE,
                                        CUBOID_UNIT_DIAGONAL, &one, o->matrix, o->other));
  ROW("qr no_handle", cuboid_qr(NULL, &qr));
  ROW("qr no_result", cuboid_qr(o->matrix, NULL));
  ROW("qr_free no_result", cuboid_qr_free(NULL));
  ROW("qr_type no_handle", cuboid_qr_type(NULL, &long_number));
  ROW("qr_info no_handle", cuboid_qr_info(NULL, &long_number));
  ROW("qr_info no_result", cuboid_qr_info(o->qr, NULL));
  ROW("qr_is_finite no_handle", cuboid_qr_is_finite(NULL, &number));
  ROW("qr_is_finite no_result", cuboid_qr_is_finite(o->qr, NULL));
  ROW("qr_taus no_handle", cuboid_qr_taus(NULL, NULL, NULL));
  ROW("qr_copy no_handle", cuboid_qr_copy(NULL, o->matrix));
  ROW("qr_copy shapes_differ", cuboid_qr_copy(o->qr, o->other));
  ROW("qr_copy_q no_output", cuboid_qr_copy_q(o->qr, NULL));
  ROW("qr_copy_q shapes_differ", cuboid_qr_copy_q(o->qr, o->other));
  ROW("qr_copy_r no_output", cuboid_qr_copy_r(o->qr, NULL));
  ROW("qr_copy_r shapes_differ", cuboid_qr_copy_r(o->qr, o->other));
  ROW("qr_apply no_handle", cuboid_qr_apply(NULL, CUBOID_NONE, CUBOID_LEFT, o->matrix));
  ROW("qr_apply op_unknown", cuboid_qr_apply(o->qr, (enum cuboid_op)7, CUBOID_LEFT, o->matrix));
  ROW("qr_apply shapes_differ", cuboid_qr_apply(o->qr, CUBOID_NONE, CUBOID_LEFT, o->other));
  ROW("qr_least_squares no_handle", cuboid_qr_least_squares(NULL, o->matrix, o->matrix));
  ROW("qr_least_squares shapes_differ", cuboid_qr_least_squares(o->qr, o->other, o->matrix));
  ROW("least_squares no_handle", cuboid_least_squares(NULL, o->matrix, o->matrix));
  ROW("least_squares no_output", cuboid_least_squares(o->matrix, o->matrix, NULL));
  ROW("least_squares shapes_differ", cuboid_least_squares(o->matrix, o->other, o->matrix));
  ROW("matrix_create_irregular descending_cuts",
      cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, c, &matrix));
  ROW("matrix_create_irregular no_layout",
      cuboid_matrix_create_irregular(NULL, CUBOID_FLOAT64, c, &matrix));
  irregular.row_blocks = -1;
  ROW("matrix_create_irregular negative_size",
      cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, c, &matrix));
  irregular.row_blocks = 1;
  irregular.owners = NULL;
  ROW("matrix_create_irregular no_list",
      cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, c, &matrix));
  irregular.owners = owners;
  irregular.row_cuts = irregular.column_cuts = far_cuts;
  ROW("matrix_create_irregular huge_size",
      o->rank == 0 ? cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, c, &matrix)
                   : CUBOID_OUT_OF_MEMORY);
  irregular.row_cuts = irregular.column_cuts = cuts;
  irregular.owners = &nobody;
  ROW("matrix_create_irregular rank_large",
      cuboid_matrix_create_irregular(&irregular, CUBOID_FLOAT64, c, &matrix));
  ROW("redistribute no_handle", cuboid_redistribute(CUBOID_NONE, NULL, o->matrix));
  ROW("redistribute no_output", cuboid_redistribute(CUBOID_NONE, o->matrix, NULL));
  ROW("redistribute shapes_differ", cuboid_redistribute(CUBOID_NONE, o->matrix, o->other));
  ROW("redistribute types_differ", cuboid_redistribute(CUBOID_NONE, o->matrix, o->single));
  ROW("redistribute_add null_scalar",
      cuboid_redistribute_add(NULL, CUBOID_NONE, o->matrix, NULL, o->matrix));
  ROW("redistribution_create no_handle",
      cuboid_redistribution_create(CUBOID_NONE, NULL, o->matrix, &redistribution));
  ROW("redistribution_create no_result",
      cuboid_redistribution_create(CUBOID_NONE, o->matrix, o->matrix, NULL));
  ROW("redistribution_run no_handle",
      cuboid_redistribution_run(NULL, &one, o->matrix, &one, o->matrix));
  ROW("redistribution_free no_result", cuboid_redistribution_free(NULL));
  (void)no_int;
  return -2;
}

static int everything(cuboid_communicator communicator, void* context) {
  const struct cuboid_layout square = {.m = 9, .n = 9};
  const struct cuboid_layout shorter = {.m = 8, .n = 9};
  const int64_t cuts[] = {0, 9};
  const int owner = 0;
  const struct cuboid_irregular_layout one_block = {1, 1, cuts, cuts, &owner};
  struct objects o;
  int rank = -1;
  int size = 0;
  int i;
  int wrong = 0;
  (void)context;
  memset(&o, 0, sizeof o);
  cuboid_communicator_rank(communicator, &rank);
  cuboid_communicator_size(communicator, &size);
  o.communicator = communicator;
  o.rank = rank;
  o.size = size;
  wrong += cuboid_window_create(8, communicator, &o.window) != CUBOID_SUCCESS;
  wrong += cuboid_matrix_create(&square, CUBOID_FLOAT64, communicator, &o.matrix) != CUBOID_SUCCESS;
  wrong += cuboid_matrix_create(&shorter, CUBOID_FLOAT64, communicator, &o.other) != CUBOID_SUCCESS;
  wrong += cuboid_matrix_create(&square, CUBOID_FLOAT32, communicator, &o.single) != CUBOID_SUCCESS;
  wrong += cuboid_matrix_create_irregular(&one_block, CUBOID_FLOAT64, communicator, &o.blocks) !=
           CUBOID_SUCCESS;
  cuboid_matrix_fill_random(o.matrix, 1);
  cuboid_matrix_fill_random(o.other, 2);
  wrong += cuboid_factorise(o.matrix, CUBOID_PIVOTING_PARTIAL, &o.factors) != CUBOID_SUCCESS;
  wrong += cuboid_qr(o.matrix, &o.qr) != CUBOID_SUCCESS;
  for (i = 0; i < row_count; ++i) {
    const int code = other(&rows[i], &o);
    const int missed = code == -2 ? wrong_collective(&rows[i], communicator, rank, size)
                                  : strcmp(name_of(code), rows[i].error) != 0;
    if (code != -2 && cuboid_barrier(communicator) != CUBOID_SUCCESS) ++wrong;
    if (missed == 0) continue;
    wrong += missed;
    fprintf(stderr, "rank %d: %s with %s does not end in %s (%d; %s)\n", rank, rows[i].operation,
            rows[i].misuse, rows[i].error, code, cuboid_error_message());
  }
  cuboid_factorisation_free(&o.factors);
  cuboid_qr_free(&o.qr);
  cuboid_matrix_free(&o.blocks);
  cuboid_matrix_free(&o.single);
  cuboid_matrix_free(&o.other);
  cuboid_matrix_free(&o.matrix);
  cuboid_window_free(&o.window);
  return wrong;
}

int main(int argc, char** argv) {
  read_rows(argc > 1 ? argv[1] : "misuse.txt", argc > 2);
  if (row_count == 0 || cuboid_run_ranks(RANKS, &everything, NULL) != CUBOID_SUCCESS) {
    fprintf(stderr, "%d rows, %s\n", row_count, cuboid_error_message());
    return 1;
  }
  return 0;
}
