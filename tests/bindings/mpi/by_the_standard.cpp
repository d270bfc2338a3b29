// What the standard allows or demands, and few programs do: every operation on every type that it
// is defined for, wrong arguments under every collective, types with odd bounds, communicators made
// in all ways, what is freed while it is in use, persistent requests among others. Each against the
// MPI beneath or a known result. Prints what is wrong; returns the number of mistakes, at most 99.
// To be run under the drop-in with CUBOID_MPI=force.

#include "persistent_names.hpp"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <mpi.h>

namespace {

int rank = 0;
int ranks = 0;
int mistakes = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++mistakes;
  std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
}

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

int class_of(int code) {
  int its_class = MPI_SUCCESS;
  MPI_Error_class(code, &its_class);
  return its_class;
}

// --- Every operation on every type.

template <class Value>
struct Located {
  Value value;
  int place;
  bool operator==(const Located&) const = default;
};

template <class Value>
Value value_of(int number) {
  if constexpr (requires(Value v) { v.place; }) {
    return {static_cast<decltype(Value::value)>(number % 3), number};
  } else {
    return static_cast<Value>(static_cast<float>(number % 3));
  }
}

struct Operation {
  const char* name;
  MPI_Op op;
};

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"max", MPI_MAX},   {"min", MPI_MIN},   {"sum", MPI_SUM},       {"prod", MPI_PROD},
      {"land", MPI_LAND}, {"lor", MPI_LOR},   {"lxor", MPI_LXOR},     {"band", MPI_BAND},
      {"bor", MPI_BOR},   {"bxor", MPI_BXOR}, {"maxloc", MPI_MAXLOC}, {"minloc", MPI_MINLOC}};
  return all;
}

template <class Value>
void all_operations(const char* name, MPI_Datatype type, MPI_Comm comm) {
  if (type == MPI_DATATYPE_NULL) return;
  constexpr int count = 21;
  std::vector<Value> mine;
  for (int i = 0; i < count; ++i) mine.push_back(value_of<Value>(7 * rank + 5 * i + i * i));
  for (const Operation& operation : operations()) {
    std::vector<Value> result(count, value_of<Value>(1));
    std::vector<Value> expected = result;
    const int code = MPI_Allreduce(mine.data(), result.data(), count, type, operation.op, comm);
    const int beneath =
        PMPI_Allreduce(mine.data(), expected.data(), count, type, operation.op, comm);
    const std::string what = std::string(operation.name) + " of " + name;
    expect(class_of(code) == class_of(beneath), what + ": code");
    if (code == MPI_SUCCESS) expect(result == expected, what);
  }
}

void every_type(MPI_Comm comm) {
  all_operations<signed char>("MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, comm);
  all_operations<unsigned char>("MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, comm);
  all_operations<char>("MPI_CHAR", MPI_CHAR, comm);
  all_operations<unsigned char>("MPI_BYTE", MPI_BYTE, comm);
  all_operations<short>("MPI_SHORT", MPI_SHORT, comm);
  all_operations<unsigned short>("MPI_UINT16_T", MPI_UINT16_T, comm);
  all_operations<unsigned>("MPI_UNSIGNED", MPI_UNSIGNED, comm);
  all_operations<long>("MPI_LONG", MPI_LONG, comm);
  all_operations<unsigned long>("MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, comm);
  all_operations<long long>("MPI_LONG_LONG", MPI_LONG_LONG, comm);
  all_operations<MPI_Aint>("MPI_AINT", MPI_AINT, comm);
  all_operations<MPI_Offset>("MPI_OFFSET", MPI_OFFSET, comm);
  all_operations<MPI_Count>("MPI_COUNT", MPI_COUNT, comm);
  all_operations<float>("MPI_FLOAT", MPI_FLOAT, comm);
  all_operations<double>("MPI_DOUBLE", MPI_DOUBLE, comm);
  all_operations<long double>("MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, comm);
  all_operations<unsigned char>("MPI_C_BOOL", MPI_C_BOOL, comm);
  all_operations<std::complex<float>>("MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, comm);
  all_operations<std::complex<double>>("MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, comm);
  all_operations<std::complex<long double>>("MPI_C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX,
                                            comm);
  all_operations<int>("MPI_LOGICAL", MPI_LOGICAL, comm);
  all_operations<int>("MPI_INTEGER", MPI_INTEGER, comm);
  all_operations<double>("MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, comm);
  all_operations<std::complex<float>>("MPI_COMPLEX", MPI_COMPLEX, comm);
  all_operations<Located<int>>("MPI_2INT", MPI_2INT, comm);
  all_operations<Located<short>>("MPI_SHORT_INT", MPI_SHORT_INT, comm);
  all_operations<Located<long>>("MPI_LONG_INT", MPI_LONG_INT, comm);
  all_operations<Located<float>>("MPI_FLOAT_INT", MPI_FLOAT_INT, comm);
  all_operations<Located<double>>("MPI_DOUBLE_INT", MPI_DOUBLE_INT, comm);
  all_operations<Located<long double>>("MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, comm);
}

// --- Wrong arguments: the same class of error, told to the handler as often.

int times_told = 0;
void count_errors(MPI_Comm*, int*, ...) {
  ++times_told;
}

void wrong_arguments() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&count_errors, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  std::vector<int> a(at(8 * ranks), 1);
  std::vector<int> b(at(8 * ranks), 1);
  std::vector<int> counts(at(ranks), 1);
  std::vector<int> places(at(ranks), 0);
  for (int i = 0; i < ranks; ++i) places[at(i)] = i;
  std::vector<int> negative(at(ranks), -1);
  MPI_Datatype uncommitted;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  int number = 0;
#define SAME(Name, ...)                                                               \
  do {                                                                                \
    ++number;                                                                         \
    times_told = 0;                                                                   \
    const int code = class_of(MPI_##Name(__VA_ARGS__));                               \
    const int told = times_told;                                                      \
    times_told = 0;                                                                   \
    const int beneath = class_of(PMPI_##Name(__VA_ARGS__));                           \
    expect(code == beneath && told == times_told,                                     \
           "wrong argument " + std::to_string(number) + " of " #Name ": class " +     \
               std::to_string(code) + " for " + std::to_string(beneath) + ", told " + \
               std::to_string(told) + " times for " + std::to_string(times_told));    \
  } while (false)
  for (const int root : {-1, -77, ranks}) {
    SAME(Bcast, a.data(), 2, MPI_INT, root, comm);
    SAME(Reduce, a.data(), b.data(), 2, MPI_INT, MPI_SUM, root, comm);
    SAME(Gather, a.data(), 2, MPI_INT, b.data(), 2, MPI_INT, root, comm);
    SAME(Scatter, a.data(), 2, MPI_INT, b.data(), 2, MPI_INT, root, comm);
    SAME(Gatherv, a.data(), 1, MPI_INT, b.data(), counts.data(), places.data(), MPI_INT, root,
         comm);
    SAME(Scatterv, a.data(), counts.data(), places.data(), MPI_INT, b.data(), 1, MPI_INT, root,
         comm);
    SAME(Ibcast, a.data(), 2, MPI_INT, root, comm, &request);
    SAME(Ireduce, a.data(), b.data(), 2, MPI_INT, MPI_SUM, root, comm, &request);
  }
  for (const auto& [count, type] : {std::pair(-1, MPI_INT), {2, none}, {2, uncommitted}}) {
    SAME(Bcast, a.data(), count, type, 0, comm);
    SAME(Ibcast, a.data(), count, type, 0, comm, &request);
    SAME(Allgather, a.data(), count, type, b.data(), count, type, comm);
    if (type == uncommitted) continue;  // Open MPI crashes
    SAME(Iallgather, a.data(), count, type, b.data(), count, type, comm, &request);
    SAME(Gather, a.data(), count, type, b.data(), count, type, 0, comm);
    SAME(Scatter, a.data(), count, type, b.data(), count, type, 0, comm);
    SAME(Alltoall, a.data(), count, type, b.data(), count, type, comm);
    SAME(Alltoallv, a.data(), count < 0 ? negative.data() : counts.data(), places.data(), type,
         b.data(), count < 0 ? negative.data() : counts.data(), places.data(), type, comm);
    SAME(Allgatherv, a.data(), count < 0 ? -1 : 1, type, b.data(),
         count < 0 ? negative.data() : counts.data(), places.data(), type, comm);
    SAME(Allreduce, a.data(), b.data(), count, type, MPI_SUM, comm);
    SAME(Iallreduce, a.data(), b.data(), count, type, MPI_SUM, comm, &request);
    SAME(Reduce, a.data(), b.data(), count, type, MPI_SUM, 0, comm);
    SAME(Scan, a.data(), b.data(), count, type, MPI_SUM, comm);
    SAME(Exscan, a.data(), b.data(), count, type, MPI_SUM, comm);
    SAME(Reduce_scatter_block, a.data(), b.data(), count, type, MPI_SUM, comm);
    SAME(Reduce_scatter, a.data(), b.data(), count < 0 ? negative.data() : counts.data(), type,
         MPI_SUM, comm);
  }
  SAME(Allreduce, a.data(), b.data(), 2, MPI_INT, MPI_OP_NULL, comm);
  SAME(Reduce, a.data(), b.data(), 2, MPI_INT, MPI_OP_NULL, 0, comm);
  SAME(Scan, a.data(), b.data(), 2, MPI_INT, MPI_OP_NULL, comm);
  SAME(Allreduce, a.data(), b.data(), 2, MPI_DOUBLE, MPI_BXOR, comm);
  SAME(Allreduce, a.data(), b.data(), 2, MPI_INT, MPI_MAXLOC, comm);
#undef SAME
  // What comes after works.
  int one = 1;
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm);
  expect(one == ranks, "an all-reduction after errors");
  MPI_Type_free(&uncommitted);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

// --- Types.

/// Elements of an extent that is 0, negative, or less than their data; other types on other sides.
void odd_types() {
  MPI_Datatype same_place;
  MPI_Type_create_resized(MPI_INT, 0, 0, &same_place);
  MPI_Type_commit(&same_place);
  MPI_Datatype backwards;
  MPI_Type_create_resized(MPI_INT, 0, -4, &backwards);
  MPI_Type_commit(&backwards);
  MPI_Datatype every_other;
  MPI_Type_vector(3, 1, -2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Datatype overlapping;  // a send may read twice
  MPI_Type_create_resized(every_other, -16, 4, &overlapping);
  MPI_Type_commit(&overlapping);

  constexpr int count = 5;
  std::vector<int> data(100);
  for (int i = 0; i < 100; ++i) data[at(i)] = 1000 * rank + i;
  const auto compare = [&](const char* what, MPI_Datatype type, int ints_per_element) {
    const int ints = count * ints_per_element;
    std::vector<int> result(at(ints * ranks), -1);
    std::vector<int> expected = result;
    MPI_Allgather(&data[50], count, type, result.data(), ints, MPI_INT, MPI_COMM_WORLD);
    PMPI_Allgather(&data[50], count, type, expected.data(), ints, MPI_INT, MPI_COMM_WORLD);
    expect(result == expected, std::string("all-gather of ") + what);
    std::ranges::fill(result, -1);
    std::ranges::fill(expected, -1);
    MPI_Gather(&data[50], count, type, result.data(), ints, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    PMPI_Gather(&data[50], count, type, expected.data(), ints, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    expect(result == expected, std::string("gather of ") + what);
    // The root sends what the others receive as something else.
    std::vector<int> cast(at(ints), -1);
    if (rank == 0) {
      MPI_Bcast(&data[50], count, type, 0, MPI_COMM_WORLD);
    } else {
      MPI_Bcast(cast.data(), ints, MPI_INT, 0, MPI_COMM_WORLD);
      std::vector<int> right(at(ints));
      int position = 0;
      std::vector<int> of_root = data;
      for (int& value : of_root) value -= 1000 * rank;
      MPI_Pack(&of_root[50], count, type, right.data(), 4 * ints, &position, MPI_COMM_SELF);
      expect(cast == right, std::string("broadcast of ") + what);
    }
  };
  compare("elements in one place", same_place, 1);
  compare("elements backwards", backwards, 1);
  compare("vectors of negative stride", every_other, 3);
  compare("overlapping elements", overlapping, 3);

  // Receiving backwards, at displacements of any sign.
  std::vector<int> counts(at(ranks), 2);
  std::vector<int> places;
  for (int i = 0; i < ranks; ++i) places.push_back(3 * (i - ranks / 2));
  std::vector<int> result(at(8 * ranks + 8), -1);
  std::vector<int> expected = result;
  const auto middle = at(4 * ranks + 4);
  MPI_Allgatherv(data.data(), 2, MPI_INT, &result[middle], counts.data(), places.data(), backwards,
                 MPI_COMM_WORLD);
  PMPI_Allgatherv(data.data(), 2, MPI_INT, &expected[middle], counts.data(), places.data(),
                  backwards, MPI_COMM_WORLD);
  expect(result == expected, "all-gather into blocks that lie backwards");
  // All ranks receive the same block of the sender.
  std::vector<int> zeros(at(ranks), 0);
  std::vector<int> ascending;
  for (int i = 0; i < ranks; ++i) ascending.push_back(2 * i);
  MPI_Alltoallv(data.data(), counts.data(), zeros.data(), MPI_INT, result.data(), counts.data(),
                ascending.data(), MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    expect(result[at(2 * i + 1)] == 1000 * i + 1, "all-to-all of one block for all");
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, result.data(), counts.data(),
                ascending.data(), MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    expect(result[at(2 * i + 1)] == 1000 * rank + 1, "all-to-all in place");
  for (MPI_Datatype* type : {&same_place, &backwards, &every_other, &overlapping})
    MPI_Type_free(type);
}

/// Nothing at all, from nowhere.
void nothing() {
  MPI_Comm comm = MPI_COMM_WORLD;
  std::vector<int> zeros(at(ranks), 0);
  expect(MPI_Bcast(nullptr, 0, MPI_INT, 0, comm) == MPI_SUCCESS, "empty broadcast");
  expect(MPI_Reduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, 0, comm) == MPI_SUCCESS,
         "empty reduction");
  MPI_Allgather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm);
  MPI_Gather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, 0, comm);
  MPI_Scatter(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, 0, comm);
  MPI_Alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, comm);
  MPI_Allgatherv(nullptr, 0, MPI_INT, nullptr, zeros.data(), zeros.data(), MPI_INT, comm);
  MPI_Alltoallv(nullptr, zeros.data(), zeros.data(), MPI_INT, nullptr, zeros.data(), zeros.data(),
                MPI_INT, comm);
  int one = 1;
  int sum = -1;
  std::vector<int> only_last(at(ranks), 0);
  only_last.back() = 1;
  MPI_Reduce_scatter(&one, &sum, only_last.data(), MPI_INT, MPI_SUM, comm);
  expect(sum == (rank == ranks - 1 ? ranks : -1), "reduce-scatter of one element");
}

// --- Communicators.

int copies = 0;
int deletions = 0;

int on_copy(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  ++copies;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

int on_delete(MPI_Comm comm, int, void*, void*) {
  ++deletions;
  int value = rank;
  MPI_Bcast(&value, 1, MPI_INT, ranks - 1, comm);
  expect(value == ranks - 1, "a broadcast while the communicator is deleted");
  return MPI_SUCCESS;
}

void use(MPI_Comm comm, const char* what) {
  int size = 0;
  int own = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &own);
  std::vector<int> sums(1000, own + 1);
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, sums.data(), 1000, MPI_INT, MPI_SUM, comm, &request);
  std::vector<int> values(1000, own);
  MPI_Bcast(values.data(), 1000, MPI_INT, size - 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(values[999] == size - 1 && sums[500] == size * (size + 1) / 2, what);
}

void all_kinds_of_communicators() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(&on_copy, &on_delete, &key, nullptr);
  MPI_Comm first;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, &key);
  use(first, "a duplicate");
  MPI_Comm second;
  MPI_Comm_dup(first, &second);
  use(second, "a duplicate of a duplicate");
  MPI_Comm third;
  MPI_Comm_dup_with_info(second, MPI_INFO_NULL, &third);
  use(third, "a duplicate with information");
  MPI_Comm fourth;
  MPI_Request request;
  MPI_Comm_idup(third, &fourth, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use(fourth, "a duplicate by request");
  expect(copies >= 2, "attributes are copied");
  const int before = copies;
  for (MPI_Comm* comm : {&fourth, &third, &second, &first}) MPI_Comm_free(comm);
  expect(deletions == before + 1, "attributes are deleted as often as they were made");
  MPI_Comm_free_keyval(&key);

  MPI_Comm on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &on_node);
  use(on_node, "the ranks of a node");
  MPI_Comm_free(&on_node);

  MPI_Group all;
  MPI_Group some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int ranges[1][3] = {{ranks - 1, 0, ranks > 2 ? -2 : -1}};
  MPI_Group_range_incl(all, 1, ranges, &some);
  int place = MPI_UNDEFINED;
  MPI_Group_rank(some, &place);
  MPI_Comm made;
  if (place != MPI_UNDEFINED) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &made);
    use(made, "a group's communicator");
    MPI_Comm_disconnect(&made);
  }
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  if (made != MPI_COMM_NULL) {
    use(made, "a communicator of some");
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);

  int extents[1] = {ranks};
  int wraps[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, extents, wraps, 1, &made);
  use(made, "a ring");
  MPI_Comm_free(&made);

  std::vector<MPI_Comm> many(100);
  for (MPI_Comm& comm : many) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm& comm : many) use(comm, "one of many communicators");
  for (MPI_Comm& comm : many) MPI_Comm_free(&comm);
}

void between_groups() {
  if (ranks < 2) return;
  const bool low = rank < ranks / 2;
  MPI_Comm half;
  MPI_Comm inter;
  MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? ranks / 2 : 0, 4, &inter);
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  std::vector<int> values(3000, rank);
  std::vector<int> counts(at(remote), 1);
  std::vector<int> places;
  for (int i = 0; i < remote; ++i) places.push_back(i);
  std::vector<int> all(at(remote), -1);
  MPI_Request requests[3];
  const int root = !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Ibcast(values.data(), 3000, MPI_INT, root, inter, &requests[0]);
  int sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter, &requests[1]);
  MPI_Iallgatherv(&rank, 1, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, inter,
                  &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  if (!low) expect(values[2999] == 0, "broadcast by request between groups");
  expect(all.front() == (low ? ranks / 2 : 0), "all-gather by request between groups");
  MPI_Comm merged;
  MPI_Intercomm_merge(inter, low ? 1 : 0, &merged);
  use(merged, "two groups merged");
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

// --- What is freed while it is in use.

void add(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(right)[i] += static_cast<int*>(left)[i];
}

void freed_in_use() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(comm, "a communicator before it is freed");
  MPI_Datatype row;
  MPI_Type_vector(500, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  MPI_Op op;
  MPI_Op_create(&add, 1, &op);
  std::vector<int> counts(at(ranks), 1);
  std::vector<int> places;
  for (int i = 0; i < ranks; ++i) places.push_back(i);
  std::vector<int> cast(1000, rank == 0 ? 3 : 0);
  std::vector<int> sums(1000, 1);
  std::vector<int> gathered(at(1000 * ranks), -1);
  std::vector<int> exchanged(at(ranks), -1);
  std::vector<int> own(at(ranks), rank);
  std::vector<MPI_Request> requests(5);
  MPI_Ibcast(cast.data(), 1, row, 0, comm, &requests[0]);
  MPI_Iallreduce(MPI_IN_PLACE, sums.data(), 1000, MPI_INT, op, comm, &requests[1]);
  MPI_Igatherv(cast.data(), 1, row, gathered.data(), counts.data(), places.data(), row, 0, comm,
               &requests[2]);
  MPI_Ialltoallv(own.data(), counts.data(), places.data(), MPI_INT, exchanged.data(), counts.data(),
                 places.data(), MPI_INT, comm, &requests[3]);
  MPI_Ibarrier(comm, &requests[4]);
  MPI_Type_free(&row);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
  expect(cast[998] == 3, "a broadcast of a type and on a communicator that are freed");
  expect(sums[999] == ranks, "an all-reduction by an operation that is freed");
  expect(exchanged.back() == ranks - 1, "an all-to-all on a communicator that is freed");
}

// --- Persistent collectives.

#ifdef INIT
void persistent() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Datatype row;
  MPI_Type_vector(500, 1, 2, MPI_INT, &row);
  MPI_Type_commit(&row);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  std::vector<int> cast(1000, -1);
  std::vector<int> mine(1000, -1);
  std::vector<int> sums(1000, -1);
  std::vector<int> sent(20000, -1);
  std::vector<int> came(20000, -1);
  enum { broadcast, sum, send, receive, barrier, number };
  std::vector<MPI_Request> requests(number, MPI_REQUEST_NULL);
  INIT(Bcast)(cast.data(), 1, row, 0, comm, MPI_INFO_NULL, &requests[broadcast]);
  INIT(Allreduce)
  (mine.data(), sums.data(), 1000, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[sum]);
  MPI_Send_init(sent.data(), 20000, MPI_INT, right, 1, comm, &requests[send]);
  MPI_Recv_init(came.data(), 20000, MPI_INT, left, 1, comm, &requests[receive]);
  INIT(Barrier)(comm, MPI_INFO_NULL, &requests[barrier]);
  MPI_Type_free(&row);
  MPI_Comm_free(&comm);

  int flag = 0;
  int index = 0;
  MPI_Waitany(number, requests.data(), &index, MPI_STATUS_IGNORE);
  expect(index == MPI_UNDEFINED, "requests that are not started are complete");
  for (int run = 0; run < 12; ++run) {
    std::ranges::fill(cast, rank == 0 ? run : -1);
    std::ranges::fill(mine, rank + run);
    std::ranges::fill(sent, rank * run);
    if (run % 3 == 0) {
      MPI_Startall(number, requests.data());
    } else {
      // Ranks may start them in different orders.
      for (int i = 0; i < number; ++i) MPI_Start(&requests[at((i + rank + run) % number)]);
    }
    std::vector<MPI_Status> statuses(number);
    std::vector<int> indices(number);
    int done = 0;
    switch (run % 6) {
      case 0: MPI_Waitall(number, requests.data(), MPI_STATUSES_IGNORE); break;
      case 1: MPI_Waitall(number, requests.data(), statuses.data()); break;
      case 2:
        for (int i = 0; i < number; ++i) {
          MPI_Waitany(number, requests.data(), &index, &statuses[0]);
          expect(index != MPI_UNDEFINED, "as many complete as were started");
        }
        break;
      case 3:
        while (done < number) {
          int some = 0;
          MPI_Waitsome(number, requests.data(), &some, indices.data(), statuses.data());
          done += some;
        }
        break;
      case 4:
        for (flag = 0; flag == 0;) MPI_Request_get_status(requests[broadcast], &flag, &statuses[0]);
        for (flag = 0; flag == 0;) MPI_Testall(number, requests.data(), &flag, statuses.data());
        break;
      default:
        for (MPI_Request& request : requests) {
          for (flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
    }
    expect(cast[998] == run && cast[999] == (rank == 0 ? run : -1), "a persistent broadcast");
    expect(sums[999] == ranks * (ranks - 1) / 2 + ranks * run, "a persistent all-reduction");
    expect(came[19999] == left * run, "a persistent message among collectives");
    for (const MPI_Request request : requests)
      expect(request != MPI_REQUEST_NULL, "a persistent request stays");
  }
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    expect(request == MPI_REQUEST_NULL, "a persistent request is freed");
  }
  // Handles are used again.
  for (int i = 0; i < 200; ++i) {
    MPI_Request request;
    int value = rank == i % ranks ? i : -1;
    INIT(Bcast)(&value, 1, MPI_INT, i % ranks, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (i % 4 != 3) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(value == i, "one of many persistent broadcasts");
    }
    MPI_Request_free(&request);
  }
}
#else
void persistent() {}
#endif

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm returning;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  every_type(returning);
  MPI_Comm_free(&returning);
  wrong_arguments();
  odd_types();
  nothing();
  all_kinds_of_communicators();
  between_groups();
  freed_in_use();
  persistent();
  int all = 0;
  PMPI_Allreduce(&mistakes, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return std::min(all, 99);
}
