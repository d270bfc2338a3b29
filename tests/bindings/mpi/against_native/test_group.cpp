#include "cases.hpp"

namespace {

/// Ranks' contributions in their order: associative, but not commutative (2×2 matrices mod 251).
void multiply_matrices(void* left, void* right, int* count, MPI_Datatype*) {
  auto* a = static_cast<int*>(left);
  auto* b = static_cast<int*>(right);
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    unsigned u[4];
    unsigned v[4];
    for (int j = 0; j < 4; ++j) {
      u[j] = static_cast<unsigned>(a[j]) % 251u;
      v[j] = static_cast<unsigned>(b[j]) % 251u;
    }
    b[0] = static_cast<int>((u[0] * v[0] + u[1] * v[2]) % 251u);
    b[1] = static_cast<int>((u[0] * v[1] + u[1] * v[3]) % 251u);
    b[2] = static_cast<int>((u[2] * v[0] + u[3] * v[2]) % 251u);
    b[3] = static_cast<int>((u[2] * v[1] + u[3] * v[3]) % 251u);
  }
}

void add_ints(void* left, void* right, int* count, MPI_Datatype*) {
  auto* a = static_cast<unsigned*>(left);
  auto* b = static_cast<unsigned*>(right);
  for (int i = 0; i < *count; ++i) b[i] += a[i];
}

std::vector<Type> types_to_move() {
  std::vector<Type> types = {
      {"MPI_BYTE", MPI_BYTE}, {"MPI_DOUBLE", MPI_DOUBLE}, {"MPI_DOUBLE_INT", MPI_DOUBLE_INT}};
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_FLOAT, &type);
  types.push_back({"contiguous", type});
  MPI_Type_vector(2, 3, 5, MPI_SHORT, &type);
  types.push_back({"vector", type});
  const int lengths[] = {1, 2, 3};
  const MPI_Aint places[] = {16, 0, 9};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, parts, &type);
  types.push_back({"struct", type});
  MPI_Type_create_resized(MPI_INT, -4, 12, &type);
  types.push_back({"resized", type});
  MPI_Type_contiguous(0, MPI_INT, &type);
  types.push_back({"of no size", type});
  for (std::size_t i = 3; i < types.size(); ++i) MPI_Type_commit(&types[i].type);
  return types;
}

}  // namespace

void test_group(const Group& g, bool thorough) {
  static const std::vector<Type> types = types_to_move();
  unsigned seed = 0;
  for (const Form form : {Form::blocking, Form::non_blocking, Form::persistent}) {
    if (form == Form::persistent && !has_persistent) continue;
    for (const Type& type : types) {
      for (const int count : thorough ? std::vector{0, 1, 7, 1000} : std::vector{3}) {
        moves(g, type, count, form, ++seed);
        moves_v(g, type, count, form, ++seed);
      }
    }
    const std::vector<Type> numbers = {{"MPI_INT", MPI_INT},
                                       {"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR},
                                       {"MPI_INT64_T", MPI_INT64_T},
                                       {"MPI_SHORT", MPI_SHORT}};
    const std::vector<Operation> on_numbers = {
        {"max", MPI_MAX},   {"min", MPI_MIN},  {"sum", MPI_SUM},   {"prod", MPI_PROD},
        {"land", MPI_LAND}, {"lor", MPI_LOR},  {"lxor", MPI_LXOR}, {"band", MPI_BAND},
        {"bor", MPI_BOR},   {"bxor", MPI_BXOR}};
    for (const Type& type : numbers) {
      for (const Operation& operation : on_numbers) {
        for (const int count : thorough ? std::vector{0, 1, 13} : std::vector{5})
          reductions(g, type, operation, count, form, ++seed);
        if (!thorough) break;
      }
    }
    reductions(g, {"MPI_INT", MPI_INT}, {"sum", MPI_SUM}, 20000, form, ++seed);
    for (const Operation& operation : {Operation{"maxloc", MPI_MAXLOC}, {"minloc", MPI_MINLOC}}) {
      reductions(g, {"MPI_2INT", MPI_2INT}, operation, 9, form, ++seed);
      reductions(g, {"MPI_SHORT_INT", MPI_SHORT_INT}, operation, 9, form, ++seed);
    }
    reductions(g, {"MPI_BYTE", MPI_BYTE}, {"bxor", MPI_BXOR}, 31, form, ++seed);
    reductions(g, {"MPI_C_BOOL", MPI_C_BOOL}, {"lor", MPI_LOR}, 31, form, ++seed);

    MPI_Datatype matrix;
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op in_order;
    MPI_Op commuting;
    MPI_Op_create(&multiply_matrices, 0, &in_order);
    MPI_Op_create(&add_ints, 1, &commuting);
    for (const int count : {1, 5, 3000}) {
      reductions(g, {"2×2 matrices", matrix}, {"their product", in_order}, count, form, ++seed);
      reductions(g, {"MPI_UNSIGNED", MPI_UNSIGNED}, {"a user's sum", commuting}, count, form,
                 ++seed);
    }
    MPI_Op_free(&in_order);
    MPI_Op_free(&commuting);
    MPI_Type_free(&matrix);
  }
}
