#include "bindings/python/handles.hpp"

#include <complex>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

namespace cuboid::detail::python {

namespace {

/// A scalar of a matrix's type, passed by address.
struct Scalar {
  Scalar(std::complex<double> value, cuboid_datatype type) : type_(type) {
    const auto single = std::complex<float>(value);
    const bool real = type == CUBOID_FLOAT32 || type == CUBOID_FLOAT64;
    if (real && value.imag() != 0)
      throw py::value_error("a complex factor of real matrices; give a real one");
    single_ = single;
    double_ = value;
  }
  const void* address() const {
    if (type_ == CUBOID_FLOAT32 || type_ == CUBOID_COMPLEX64) return &single_;
    return &double_;
  }

 private:
  cuboid_datatype type_;
  std::complex<float> single_;
  std::complex<double> double_;
};

cuboid_datatype type_of(const Matrix& matrix) {
  cuboid_datatype type = CUBOID_BYTE;
  check(cuboid_matrix_type(matrix.handle, &type));
  return type;
}

cuboid_layout layout_of(std::int64_t m, std::int64_t n, std::pair<std::int64_t, std::int64_t> block,
                        std::pair<int, int> grid) {
  cuboid_layout layout{};
  layout.m = m;
  layout.n = n;
  layout.row_block = block.first;
  layout.column_block = block.second;
  layout.grid_rows = grid.first;
  layout.grid_columns = grid.second;
  return layout;
}

Matrix create(const py::object& communicator, std::int64_t m, std::int64_t n, const py::dtype& type,
              std::pair<std::int64_t, std::int64_t> block, std::pair<int, int> grid) {
  const cuboid_layout layout = layout_of(m, n, block, grid);
  Matrix matrix(nullptr, {communicator});
  check(cuboid_matrix_create(&layout, python::type_of(type),
                             communicator.cast<Communicator&>().handle, &matrix.handle));
  return matrix;
}

/// A matrix around this rank's part: an array in Fortran's order, or the first rows of one.
Matrix wrap(const py::object& communicator, std::int64_t m, std::int64_t n, const py::array& part,
            std::pair<std::int64_t, std::int64_t> block, std::pair<int, int> grid) {
  const cuboid_layout layout = layout_of(m, n, block, grid);
  if (part.ndim() != 2 || !part.writeable() ||
      (part.shape(0) > 1 && part.strides(0) != part.itemsize()))
    throw py::value_error(
        "a matrix's part is a writable array of two dimensions in Fortran's order: "
        "numpy.asfortranarray(…)");
  const auto leading = part.shape(1) > 1 ? part.strides(1) / part.itemsize() : part.shape(0);
  Matrix matrix(nullptr, {communicator, part});
  check(cuboid_matrix_wrap(&layout, python::type_of(part.dtype()), const_cast<void*>(part.data()),
                           std::max<py::ssize_t>(leading, 1),
                           communicator.cast<Communicator&>().handle, &matrix.handle));
  return matrix;
}

/// This rank's part, in place: it lives as long as the matrix.
py::array part(const py::object& self) {
  const auto& matrix = self.cast<const Matrix&>();
  const py::dtype type = dtype_of(type_of(matrix));
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;
  check(cuboid_matrix_part(matrix.handle, &data, &rows, &columns, &leading));
  return {type, {rows, columns}, {type.itemsize(), leading * type.itemsize()}, data, self};
}

/// The global rows and columns of this rank's part.
std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> global(const Matrix& matrix) {
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
  check(cuboid_matrix_part(matrix.handle, nullptr, &row_count, &column_count, nullptr));
  std::int64_t other = 0;
  std::vector<std::int64_t> rows(static_cast<std::size_t>(column_count > 0 ? row_count : 0));
  std::vector<std::int64_t> columns(static_cast<std::size_t>(row_count > 0 ? column_count : 0));
  for (std::size_t i = 0; i < rows.size(); ++i)
    check(cuboid_matrix_global(matrix.handle, static_cast<std::int64_t>(i), 0, &rows[i], &other));
  for (std::size_t j = 0; j < columns.size(); ++j)
    check(
        cuboid_matrix_global(matrix.handle, 0, static_cast<std::int64_t>(j), &other, &columns[j]));
  return {rows, columns};
}

const char* name_of(const std::optional<std::string>& algorithm) {
  return algorithm ? algorithm->c_str() : nullptr;
}

void multiply(std::complex<double> alpha, int op_a, const Matrix& a, int op_b, const Matrix& b,
              std::complex<double> beta, const Matrix& c,
              const std::optional<std::string>& algorithm) {
  const Scalar factor(alpha, type_of(c));
  const Scalar old(beta, type_of(c));
  without_gil(cuboid_multiply, factor.address(), cuboid_op(op_a), a.handle, cuboid_op(op_b),
              b.handle, old.address(), c.handle, name_of(algorithm));
}

void define_products(py::module_& module) {
  module.def("multiply", &multiply);
  module.def("redistribute", [](int op, const Matrix& source, const Matrix& destination) {
    without_gil(cuboid_redistribute, cuboid_op(op), source.handle, destination.handle);
  });
  py::class_<Multiplication>(module, "Multiplication")
      .def(py::init([](int op_a, const Matrix& a, int op_b, const Matrix& b, const Matrix& c,
                       const std::optional<std::string>& algorithm) {
             Multiplication planned;
             without_gil(cuboid_multiplication_create, cuboid_op(op_a), a.handle, cuboid_op(op_b),
                         b.handle, c.handle, name_of(algorithm), &planned.handle);
             return planned;
           }),
           py::keep_alive<1, 3>())
      .def("run",
           [](Multiplication& planned, std::complex<double> alpha, const Matrix& a, const Matrix& b,
              std::complex<double> beta, const Matrix& c) {
             const Scalar factor(alpha, type_of(c));
             const Scalar old(beta, type_of(c));
             without_gil(cuboid_multiplication_run, planned.handle, factor.address(), a.handle,
                         b.handle, old.address(), c.handle);
           })
      .def("algorithm",
           [](const Multiplication& planned) {
             const char* name = nullptr;
             check(cuboid_multiplication_algorithm(planned.handle, &name));
             return std::string(name);
           })
      .def("free", &Multiplication::free);
}

std::complex<double> as_complex(cuboid_datatype type, const void* number) {
  switch (type) {
    case CUBOID_FLOAT32: return *static_cast<const float*>(number);
    case CUBOID_FLOAT64: return *static_cast<const double*>(number);
    case CUBOID_COMPLEX64: return *static_cast<const std::complex<float>*>(number);
    default: return *static_cast<const std::complex<double>*>(number);
  }
}

std::pair<std::complex<double>, double> determinant(const Factorisation& factors) {
  cuboid_datatype type = CUBOID_BYTE;
  check(cuboid_factorisation_type(factors.handle, &type));
  std::complex<double> memory;
  double logarithm = 0;
  without_gil(cuboid_factorisation_determinant, factors.handle, static_cast<void*>(&memory),
              &logarithm);
  return {as_complex(type, &memory), logarithm};
}

std::vector<std::int64_t> pivots(const Factorisation& factors) {
  const std::int64_t* first = nullptr;
  std::size_t count = 0;
  check(cuboid_factorisation_pivots(factors.handle, &first, &count));
  return {first, first + count};
}

void define_factorisations(py::module_& module) {
  module.def(
      "factorise",
      [](const Matrix& a, int pivoting) {
        Factorisation factors;
        without_gil(cuboid_factorise, a.handle, cuboid_pivoting(pivoting), &factors.handle);
        return factors;
      },
      py::keep_alive<0, 1>());
  module.def(
      "cholesky",
      [](const Matrix& a) {
        Factorisation factors;
        without_gil(cuboid_cholesky, a.handle, &factors.handle);
        return factors;
      },
      py::keep_alive<0, 1>());
  module.def("solve", [](const Matrix& a, const Matrix& b) {
    without_gil(cuboid_solve, a.handle, b.handle);
  });
  module.def("trsm", [](int side, int triangle, int op, int diagonal, std::complex<double> alpha,
                        const Matrix& a, const Matrix& b) {
    const Scalar factor(alpha, type_of(b));
    without_gil(cuboid_trsm, cuboid_side(side), cuboid_triangle(triangle), cuboid_op(op),
                cuboid_diagonal(diagonal), factor.address(), a.handle, b.handle);
  });
  py::class_<Factorisation>(module, "Factorisation")
      .def("info",
           [](const Factorisation& factors) {
             std::int64_t info = 0;
             check(cuboid_factorisation_info(factors.handle, &info));
             return info;
           })
      .def("pivots", &pivots)
      .def("determinant", &determinant)
      .def("reciprocal_condition",
           [](const Factorisation& factors) {
             double reciprocal = 0;
             without_gil(cuboid_factorisation_reciprocal_condition, factors.handle, &reciprocal);
             return reciprocal;
           })
      .def("copy_to",
           [](const Factorisation& factors, const Matrix& to) {
             without_gil(cuboid_factorisation_copy, factors.handle, to.handle);
           })
      .def("solve",
           [](const Factorisation& factors, int op, const Matrix& b) {
             without_gil(cuboid_factorisation_solve, factors.handle, cuboid_op(op), b.handle);
           })
      .def("refine",
           [](const Factorisation& factors, const Matrix& a, const Matrix& b, const Matrix& x,
              int steps) {
             without_gil(cuboid_refine, factors.handle, a.handle, b.handle, x.handle, steps);
           })
      .def("free", &Factorisation::free);
}

}  // namespace

void define_matrices(py::module_& module) {
  py::class_<Matrix>(module, "Matrix")
      .def_static("create", &create)
      .def_static("wrap", &wrap)
      .def("part", &part)
      .def("global_indices", &global)
      .def("type", [](const Matrix& matrix) { return dtype_of(type_of(matrix)); })
      .def("fill_random",
           [](const Matrix& matrix, std::uint64_t seed) {
             check(cuboid_matrix_fill_random(matrix.handle, seed));
           })
      .def("free", &Matrix::free);
  define_products(module);
  define_factorisations(module);
}

}  // namespace cuboid::detail::python
