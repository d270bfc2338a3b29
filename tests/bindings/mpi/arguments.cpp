// What the standard allows as arguments, and few programs pass: every operation on every type that
// it is defined for, wrong arguments of every collective, types with odd bounds, nothing at all.
// Each against the native MPI or a known result. Prints what is wrong; returns the number of
// mistakes, at most 99. To be run under the drop-in with CUBOID_MPI=force.

#include "expect.hpp"

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace {

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
    const int native =
        PMPI_Allreduce(mine.data(), expected.data(), count, type, operation.op, comm);
    const std::string what = std::string(operation.name) + " of " + name;
    expect(class_of(code) == class_of(native), what + ": code");
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
#define SAME(Name, ...)                                                              \
  do {                                                                               \
    ++number;                                                                        \
    times_told = 0;                                                                  \
    const int code = class_of(MPI_##Name(__VA_ARGS__));                              \
    const int told = times_told;                                                     \
    times_told = 0;                                                                  \
    const int native = class_of(PMPI_##Name(__VA_ARGS__));                           \
    expect(code == native && told == times_told,                                     \
           "wrong argument " + std::to_string(number) + " of " #Name ": class " +    \
               std::to_string(code) + " for " + std::to_string(native) + ", told " + \
               std::to_string(told) + " times for " + std::to_string(times_told));   \
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

// --- Types with odd bounds.

/// The integers that the sender's elements consist of, in order; the sender's data are
/// 1000 sender, 1000 sender + 1, ….
std::vector<int> sent_by(int sender, const int* own, int count, MPI_Datatype type, int ints) {
  std::vector<int> packed(at(ints));
  int position = 0;
  MPI_Pack(own, count, type, packed.data(), 4 * ints, &position, MPI_COMM_SELF);
  for (int& value : packed) value += 1000 * (sender - rank);
  return packed;
}

/// Elements of which one is sent as often as `count` says, by all ranks to all, to one, and by one.
void send_elements(const char* what, const int* own, MPI_Datatype type, int ints_per_element) {
  constexpr int count = 5;
  const int ints = count * ints_per_element;
  std::vector<int> expected;
  for (int sender = 0; sender < ranks; ++sender) {
    const auto part = sent_by(sender, own, count, type, ints);
    expected.insert(expected.end(), part.begin(), part.end());
  }
  std::vector<int> result(expected.size(), -1);
  MPI_Allgather(own, count, type, result.data(), ints, MPI_INT, MPI_COMM_WORLD);
  expect(result == expected, std::string("all-gather of ") + what);
  std::ranges::fill(result, -1);
  const int root = ranks - 1;
  MPI_Gather(own, count, type, result.data(), ints, MPI_INT, root, MPI_COMM_WORLD);
  if (rank == root) expect(result == expected, std::string("gather of ") + what);
  // The root sends what the others receive as something else.
  result.resize(at(ints));
  expected.resize(at(ints));
  if (rank == 0) {
    MPI_Bcast(const_cast<int*>(own), count, type, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(result.data(), ints, MPI_INT, 0, MPI_COMM_WORLD);
    expect(result == expected, std::string("broadcast of ") + what);
  }
}

/// Elements of an extent that is 0, negative, or less than their data.
void odd_bounds() {
  MPI_Datatype same_place;
  MPI_Type_create_resized(MPI_INT, 0, 0, &same_place);
  MPI_Datatype backwards;
  MPI_Type_create_resized(MPI_INT, 0, -4, &backwards);
  MPI_Datatype every_other;
  MPI_Type_vector(3, 1, -2, MPI_INT, &every_other);
  MPI_Datatype overlapping;  // a send may read twice
  MPI_Type_create_resized(every_other, -16, 4, &overlapping);
  for (MPI_Datatype* type : {&same_place, &backwards, &every_other, &overlapping})
    MPI_Type_commit(type);

  std::vector<int> data(100);
  for (int i = 0; i < 100; ++i) data[at(i)] = 1000 * rank + i;
  send_elements("elements in one place", &data[50], same_place, 1);
  send_elements("elements backwards", &data[50], backwards, 1);
  send_elements("vectors of negative stride", &data[50], every_other, 3);
  send_elements("overlapping elements", &data[50], overlapping, 3);

  // Receiving backwards, at displacements of any sign: block i lies from 3·(i - ranks / 2) down.
  const std::vector<int> two(at(ranks), 2);
  std::vector<int> places;
  for (int i = 0; i < ranks; ++i) places.push_back(3 * (i - ranks / 2));
  std::vector<int> result(at(8 * ranks + 8), -1);
  const int middle = 4 * ranks + 4;
  MPI_Allgatherv(data.data(), 2, MPI_INT, &result[at(middle)], two.data(), places.data(), backwards,
                 MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) {
    const int first = middle - places[at(i)];
    expect(result[at(first)] == 1000 * i && result[at(first - 1)] == 1000 * i + 1,
           "all-gather into blocks that lie backwards");
  }
  for (MPI_Datatype* type : {&same_place, &backwards, &every_other, &overlapping})
    MPI_Type_free(type);
}

/// All ranks receive the same block of the sender; then each sends back what came.
void one_block_for_all() {
  const std::vector<int> two(at(ranks), 2);
  const std::vector<int> zeros(at(ranks), 0);
  std::vector<int> ascending;
  for (int i = 0; i < ranks; ++i) ascending.push_back(2 * i);
  const std::vector<int> data = {1000 * rank, 1000 * rank + 1};
  std::vector<int> result(at(2 * ranks), -1);
  MPI_Alltoallv(data.data(), two.data(), zeros.data(), MPI_INT, result.data(), two.data(),
                ascending.data(), MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    expect(result[at(2 * i + 1)] == 1000 * i + 1, "all-to-all of one block for all");
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, result.data(), two.data(),
                ascending.data(), MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    expect(result[at(2 * i + 1)] == 1000 * rank + 1, "all-to-all in place");
}

// --- Nothing at all, from nowhere.

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

}  // namespace

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Comm returning;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  every_type(returning);
  MPI_Comm_free(&returning);
  wrong_arguments();
  odd_bounds();
  one_block_for_all();
  nothing();
  return end();
}
