#include "bindings/fortran/arrays.hpp"

#include <cstdint>
#include <cstring>
#include <string>

// Matrices, products and factorisations as Fortran calls them.

using namespace cuboid::detail::fortran;

namespace {

/// alpha or beta, which must have the matrix's type.
const void* scalar(const CFI_cdesc_t* value, cuboid_matrix matrix) {
  cuboid_datatype type = CUBOID_BYTE;
  if (cuboid_matrix_type(matrix, &type) != CUBOID_SUCCESS) throw Refused(cuboid_error_message());
  if (value->rank != 0 || type_of(*value) != type)
    throw Refused("alpha or beta differs in type from the matrices; give a scalar of their type");
  return value->base_addr;
}

/// Frees a matrix and throws Refused unless the array around which it was made has the shape of
/// this rank's part: the leading dimension alone does not tell.
void require_shape_of(cuboid_matrix& matrix, const CFI_cdesc_t& array) {
  std::int64_t rows = 0, columns = 0;
  if (cuboid_matrix_part(matrix, nullptr, &rows, &columns, nullptr) != CUBOID_SUCCESS)
    throw Refused(cuboid_error_message());
  const CFI_index_t m = array.dim[0].extent, n = array.dim[1].extent;
  const bool both_empty = rows * columns == 0 && m * n == 0;
  if (both_empty || (m == rows && n == columns)) return;
  static_cast<void>(cuboid_matrix_free(&matrix));
  throw Refused("an array of " + std::to_string(m) + "x" + std::to_string(n) +
                " for this rank's part of " + std::to_string(rows) + "x" + std::to_string(columns) +
                "; give one of that shape");
}

/// An optional name.
struct Name {
  explicit Name(const CFI_cdesc_t* characters) {
    if (characters == nullptr) return;
    text.assign(static_cast<const char*>(characters->base_addr), characters->elem_len);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  const char* or_null() const { return text.empty() ? nullptr : text.c_str(); }
  std::string text;
};

}  // namespace

#include <cuboid_matrices.inc>  // by write_interfaces.py

extern "C" CUBOID_API void cuboid_fortran_matrix_wrap(const cuboid_layout* layout,
                                                      const CFI_cdesc_t* part,
                                                      const cuboid_communicator* communicator,
                                                      cuboid_matrix* made, int* ierror) {
  call(ierror, [&] {
    const auto bytes = static_cast<CFI_index_t>(part->elem_len);
    if (part->rank != 2) throw Refused("the part is not a matrix; give an array of two dimensions");
    if (part->dim[0].extent > 1 && part->dim[0].sm != bytes)
      throw Refused("a part with gaps in its columns; give whole columns, or a copy");
    const CFI_index_t leading =
        part->dim[1].extent > 1 ? part->dim[1].sm / bytes : part->dim[0].extent;
    const int code = cuboid_matrix_wrap(layout, type_of(*part), part->base_addr,
                                        leading > 0 ? leading : 1, *communicator, made);
    if (code == CUBOID_SUCCESS) require_shape_of(*made, *part);
    return code;
  });
}

extern "C" CUBOID_API void cuboid_fortran_matrix_locate(const cuboid_matrix* matrix,
                                                        const cuboid_datatype* wanted,
                                                        void** memory, int64_t* rows,
                                                        int64_t* columns,
                                                        int64_t* leading_dimension, int* ierror) {
  static double empty;  // a part without elements still needs an address to which Fortran can point
  *memory = nullptr;
  call(ierror, [&] {
    cuboid_datatype type = CUBOID_BYTE;
    const int code = cuboid_matrix_type(*matrix, &type);
    if (code != CUBOID_SUCCESS) return code;
    if (type != *wanted)
      throw Refused(
          "the matrix and the pointer differ in type; give a pointer of the matrix's type");
    void* data = nullptr;
    const int found = cuboid_matrix_part(*matrix, &data, rows, columns, leading_dimension);
    if (found == CUBOID_SUCCESS) *memory = data != nullptr ? data : &empty;
    return found;
  });
}

extern "C" CUBOID_API void cuboid_fortran_matrix_global(const cuboid_matrix* matrix,
                                                        const int64_t* i, const int64_t* j,
                                                        int64_t* row, int64_t* column,
                                                        int* ierror) {
  call(ierror, [&] {
    const int code = cuboid_matrix_global(*matrix, *i - 1, *j - 1, row, column);
    if (code == CUBOID_SUCCESS) {
      ++*row;
      ++*column;
    }
    return code;
  });
}

CUBOID_FORTRAN(multiplication_create,
               (const cuboid_op* op_a, const cuboid_matrix* a, const cuboid_op* op_b,
                const cuboid_matrix* b, const cuboid_matrix* c, cuboid_multiplication* made,
                const CFI_cdesc_t* algorithm),
               (*op_a, *a, *op_b, *b, *c, Name(algorithm).or_null(), made))

extern "C" CUBOID_API void cuboid_fortran_factorisation_pivots(
    const cuboid_factorisation* factorisation, int64_t* pivots, int* ierror) {
  call(ierror, [&] {
    const int64_t* from_zero = nullptr;
    std::size_t count = 0;
    const int code = cuboid_factorisation_pivots(*factorisation, &from_zero, &count);
    for (std::size_t k = 0; code == CUBOID_SUCCESS && k < count; ++k) pivots[k] = from_zero[k] + 1;
    return code;
  });
}

extern "C" CUBOID_API void cuboid_fortran_factorisation_determinant(
    const cuboid_factorisation* factorisation, const CFI_cdesc_t* sign, double* logarithm,
    int* ierror) {
  call(ierror, [&] {
    cuboid_datatype type = CUBOID_BYTE;
    const int code = cuboid_factorisation_type(*factorisation, &type);
    if (code != CUBOID_SUCCESS) return code;
    if (sign->rank != 0 || type_of(*sign) != type)
      throw Refused("the sign differs in type from the matrix; give a scalar of the matrix's type");
    return cuboid_factorisation_determinant(*factorisation, sign->base_addr, logarithm);
  });
}

extern "C" CUBOID_API void cuboid_fortran_qr_taus(const cuboid_qr_factorisation* qr,
                                                  const CFI_cdesc_t* taus, int* ierror) {
  call(ierror, [&] {
    cuboid_datatype type = CUBOID_BYTE;
    const void* kept = nullptr;
    std::size_t count = 0;
    int code = cuboid_qr_type(*qr, &type);
    if (code == CUBOID_SUCCESS) code = cuboid_qr_taus(*qr, &kept, &count);
    if (code != CUBOID_SUCCESS) return code;
    if (taus->rank != 1 || type_of(*taus) != type || !CFI_is_contiguous(taus) ||
        static_cast<std::size_t>(taus->dim[0].extent) != count)
      throw Refused("taus: give an array of min(m, n) elements of the matrix's type");
    std::memcpy(taus->base_addr, kept, count * taus->elem_len);
    return code;
  });
}
