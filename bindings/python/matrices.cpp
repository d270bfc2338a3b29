#include "bindings/c/matrix_handles.hpp"
#include "bindings/python/handles.hpp"

#include <algorithm>
#include <complex>
#include <variant>

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
  check(cuboid_matrix_type(handle_of(matrix), &type));
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

Matrix owned(cuboid_matrix made, Uses uses) {
  return {"matrix", Matrix::Thing(made), std::move(uses)};
}

Matrix create(const py::object& communicator, std::int64_t m, std::int64_t n, const py::dtype& type,
              std::pair<std::int64_t, std::int64_t> block, std::pair<int, int> grid,
              std::optional<int> device) {
  const cuboid_layout layout = layout_of(m, n, block, grid);
  const cuboid_communicator ranks = handle_of(communicator.cast<Communicator&>());
  cuboid_matrix matrix = nullptr;
  check(device
            ? cuboid_matrix_create_on_device(&layout, matrix_type_of(type), *device, ranks, &matrix)
            : cuboid_matrix_create(&layout, matrix_type_of(type), ranks, &matrix));
  return owned(matrix, {communicator});
}

/// A matrix whose local part is an array in Fortran's order, or the first rows of such an array.
Matrix wrap(const py::object& communicator, std::int64_t m, std::int64_t n, const py::object& local,
            std::pair<std::int64_t, std::int64_t> block, std::pair<int, int> grid) {
  const cuboid_layout layout = layout_of(m, n, block, grid);
  const py::array part = array_anywhere(local, "a matrix's part");
  const py::ssize_t bytes = bytes_of(part.dtype());
  const cuboid_datatype type = matrix_type_of(part.dtype());
  const auto is_column_by_column = [&] {
    if (part.shape(0) > 1 && part.strides(0) != bytes) return false;
    return part.shape(1) <= 1 || part.size() == 0 ||
           (part.strides(1) >= bytes * part.shape(0) && part.strides(1) % bytes == 0);
  };
  if (part.ndim() != 2 || !part.writeable() || !is_column_by_column())
    throw py::value_error(
        "a matrix's part is a writable array of two dimensions in Fortran's order: "
        "numpy.asfortranarray(…)");
  const bool has_columns = part.shape(1) > 1 && part.size() > 0;
  const auto leading = has_columns ? part.strides(1) / bytes : part.shape(0);
  cuboid_matrix made = nullptr;
  check(cuboid_matrix_wrap(&layout, type, const_cast<void*>(part.data()),
                           std::max<py::ssize_t>(leading, 1),
                           handle_of(communicator.cast<Communicator&>()), &made));
  Matrix matrix = owned(made, {communicator, part});
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  check(cuboid_matrix_part(made, nullptr, &rows, &columns, nullptr));
  if (part.shape(0) != rows || part.shape(1) != columns) {
    throw py::value_error("this rank's part is of " + std::to_string(part.shape(0)) + "x" +
                          std::to_string(part.shape(1)) + " elements where this layout has " +
                          std::to_string(rows) + "x" + std::to_string(columns));
  }
  return matrix;
}

/// This rank's part as an array in place. The array keeps the matrix alive.
py::array part(const py::object& self) {
  const auto& matrix = self.cast<const Matrix&>();
  const py::dtype type = dtype_of(type_of(matrix));
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;
  check(cuboid_matrix_part(handle_of(matrix), &data, &rows, &columns, &leading));
  const py::ssize_t bytes = bytes_of(type);
  return {type, {rows, columns}, {bytes, leading * bytes}, data, self};
}

/// The number of the device on which this rank's part lies; None if the host can touch it.
std::optional<int> device(const Matrix& matrix) {
  int number = -1;
  check(cuboid_matrix_device(handle_of(matrix), &number));
  if (number < 0) return std::nullopt;
  return number;
}

/// The global indices of the local indices of a dimension.
template <class Index, class Axis>
py::array numbers(const Axis& axis, const std::optional<int>& part, std::int64_t count) {
  py::array all(py::dtype("i8"), {part ? count : 0}, {sizeof(std::int64_t)});
  auto* const first = static_cast<std::int64_t*>(all.mutable_data());
  for (std::int64_t local = 0; local < all.size(); ++local)
    first[local] = axis.global(*part, Local<Index>(local)).value;
  return all;
}

/// The global rows and columns of this rank's part.
py::tuple global(const Matrix& matrix) {
  return std::visit(
      [](const auto& of_type) {
        std::optional<int> row, column;
        if (const auto here = of_type.position()) {
          row = here->row;
          column = here->column;
        }
        const Layout& layout = of_type.layout();
        return py::make_tuple(numbers<Row>(layout.rows(), row, of_type.local_rows()),
                              numbers<Column>(layout.columns(), column, of_type.local_columns()));
      },
      c::matrix_of(handle_of(matrix)));
}

const char* name_of(const std::optional<std::string>& algorithm) {
  return algorithm ? algorithm->c_str() : nullptr;
}

void multiply(std::complex<double> alpha, int op_a, const Matrix& a, int op_b, const Matrix& b,
              std::complex<double> beta, const Matrix& c,
              const std::optional<std::string>& algorithm) {
  const Scalar factor(alpha, type_of(c));
  const Scalar old(beta, type_of(c));
  run_without_gil(cuboid_multiply, factor.address(), cuboid_op(op_a), handle_of(a), cuboid_op(op_b),
                  handle_of(b), old.address(), handle_of(c), name_of(algorithm));
}

void define_products(py::module_& module) {
  module.def("multiply", &multiply);
  module.def("redistribute", [](int op, const Matrix& source, const Matrix& destination) {
    run_without_gil(cuboid_redistribute, cuboid_op(op), handle_of(source), handle_of(destination));
  });
  py::class_<Multiplication>(module, "Multiplication")
      .def(py::init([](int op_a, const Matrix& a, int op_b, const Matrix& b, const Matrix& c,
                       const std::optional<std::string>& algorithm) {
        cuboid_multiplication planned = nullptr;
        run_without_gil(cuboid_multiplication_create, cuboid_op(op_a), handle_of(a),
                        cuboid_op(op_b), handle_of(b), handle_of(c), name_of(algorithm), &planned);
        return Multiplication("multiplication", Multiplication::Thing(planned));
      }))
      .def("run",
           [](Multiplication& planned, std::complex<double> alpha, const Matrix& a, const Matrix& b,
              std::complex<double> beta, const Matrix& c) {
             const Scalar factor(alpha, type_of(c));
             const Scalar old(beta, type_of(c));
             run_without_gil(cuboid_multiplication_run, handle_of(planned), factor.address(),
                             handle_of(a), handle_of(b), old.address(), handle_of(c));
           })
      .def("algorithm",
           [](const Multiplication& planned) {
             const char* name = nullptr;
             check(cuboid_multiplication_algorithm(handle_of(planned), &name));
             return std::string(name);
           })
      .def("is_freed", &Multiplication::is_freed)
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
  check(cuboid_factorisation_type(handle_of(factors), &type));
  std::complex<double> memory;
  double logarithm = 0;
  run_without_gil(cuboid_factorisation_determinant, handle_of(factors), static_cast<void*>(&memory),
                  &logarithm);
  return {as_complex(type, &memory), logarithm};
}

std::vector<std::int64_t> pivots(const Factorisation& factors) {
  const std::int64_t* first = nullptr;
  std::size_t count = 0;
  check(cuboid_factorisation_pivots(handle_of(factors), &first, &count));
  return {first, first + count};
}

/// Defines syrk or herk.
void define_update(py::module_& module, const char* name, decltype(&cuboid_syrk) update) {
  module.def(name, [update](int triangle, int op, std::complex<double> alpha, const Matrix& a,
                            std::complex<double> beta, const Matrix& c) {
    const Scalar factor(alpha, type_of(c)), scale(beta, type_of(c));
    run_without_gil(update, cuboid_triangle(triangle), cuboid_op(op), factor.address(),
                    handle_of(a), scale.address(), handle_of(c));
  });
}

/// Defines syr2k or her2k.
void define_double_update(py::module_& module, const char* name, decltype(&cuboid_syr2k) update) {
  module.def(name, [update](int triangle, int op, std::complex<double> alpha, const Matrix& a,
                            const Matrix& b, std::complex<double> beta, const Matrix& c) {
    const Scalar factor(alpha, type_of(c)), scale(beta, type_of(c));
    run_without_gil(update, cuboid_triangle(triangle), cuboid_op(op), factor.address(),
                    handle_of(a), handle_of(b), scale.address(), handle_of(c));
  });
}

/// Defines symm or hemm.
void define_symmetric(py::module_& module, const char* name, decltype(&cuboid_symm) multiply) {
  module.def(name, [multiply](int side, int triangle, std::complex<double> alpha, const Matrix& a,
                              const Matrix& b, std::complex<double> beta, const Matrix& c) {
    const Scalar factor(alpha, type_of(c)), scale(beta, type_of(c));
    run_without_gil(multiply, cuboid_side(side), cuboid_triangle(triangle), factor.address(),
                    handle_of(a), handle_of(b), scale.address(), handle_of(c));
  });
}

void define_triangular_products(py::module_& module) {
  define_update(module, "syrk", cuboid_syrk);
  define_update(module, "herk", cuboid_herk);
  define_double_update(module, "syr2k", cuboid_syr2k);
  define_double_update(module, "her2k", cuboid_her2k);
  define_symmetric(module, "symm", cuboid_symm);
  define_symmetric(module, "hemm", cuboid_hemm);
  module.def("trmm", [](int side, int triangle, int op, int diagonal, std::complex<double> alpha,
                        const Matrix& a, const Matrix& b) {
    const Scalar factor(alpha, type_of(b));
    run_without_gil(cuboid_trmm, cuboid_side(side), cuboid_triangle(triangle), cuboid_op(op),
                    cuboid_diagonal(diagonal), factor.address(), handle_of(a), handle_of(b));
  });
}

void define_factorisations(py::module_& module) {
  module.def("factorise", [](const Matrix& a, int pivoting) {
    cuboid_factorisation factors = nullptr;
    run_without_gil(cuboid_factorise, handle_of(a), cuboid_pivoting(pivoting), &factors);
    return Factorisation("factorisation", Factorisation::Thing(factors));
  });
  module.def("cholesky", [](const Matrix& a) {
    cuboid_factorisation factors = nullptr;
    run_without_gil(cuboid_cholesky, handle_of(a), &factors);
    return Factorisation("factorisation", Factorisation::Thing(factors));
  });
  module.def("solve", [](const Matrix& a, const Matrix& b) {
    run_without_gil(cuboid_solve, handle_of(a), handle_of(b));
  });
  module.def("solve_mixed", [](const Matrix& a, const Matrix& b, int matrix_class) {
    cuboid_mixed_method method = CUBOID_MIXED_REFINEMENT;
    int steps = 0;
    run_without_gil(cuboid_solve_mixed, handle_of(a), handle_of(b),
                    cuboid_matrix_class(matrix_class), &method, &steps);
    return std::pair(static_cast<int>(method), steps);
  });
  module.def("norm", [](int kind, const Matrix& a) {
    double norm = 0;
    run_without_gil(cuboid_norm, cuboid_norm_kind(kind), handle_of(a), &norm);
    return norm;
  });
  module.def("laset", [](int triangle, std::complex<double> off_diagonal,
                         std::complex<double> diagonal, const Matrix& a) {
    const Scalar others(off_diagonal, type_of(a)), on_diagonal(diagonal, type_of(a));
    run_without_gil(cuboid_laset, cuboid_triangle(triangle), others.address(),
                    on_diagonal.address(), handle_of(a));
  });
  module.def("lacpy", [](int triangle, const Matrix& a, const Matrix& b) {
    run_without_gil(cuboid_lacpy, cuboid_triangle(triangle), handle_of(a), handle_of(b));
  });
  module.def("lascl", [](int triangle, double divisor, double factor, const Matrix& a) {
    run_without_gil(cuboid_lascl, cuboid_triangle(triangle), divisor, factor, handle_of(a));
  });
  module.def("trsm", [](int side, int triangle, int op, int diagonal, std::complex<double> alpha,
                        const Matrix& a, const Matrix& b) {
    const Scalar factor(alpha, type_of(b));
    run_without_gil(cuboid_trsm, cuboid_side(side), cuboid_triangle(triangle), cuboid_op(op),
                    cuboid_diagonal(diagonal), factor.address(), handle_of(a), handle_of(b));
  });
  module.def("trtri", [](int triangle, int diagonal, const Matrix& a) {
    run_without_gil(cuboid_trtri, cuboid_triangle(triangle), cuboid_diagonal(diagonal),
                    handle_of(a));
  });
  define_triangular_products(module);
  py::class_<Factorisation>(module, "Factorisation")
      .def("info",
           [](const Factorisation& factors) {
             std::int64_t info = 0;
             check(cuboid_factorisation_info(handle_of(factors), &info));
             return info;
           })
      .def("is_finite",
           [](const Factorisation& factors) {
             int finite = 0;
             check(cuboid_factorisation_is_finite(handle_of(factors), &finite));
             return finite != 0;
           })
      .def("pivots", &pivots)
      .def("determinant", &determinant)
      .def("reciprocal_condition",
           [](const Factorisation& factors, int kind) {
             double reciprocal = 0;
             run_without_gil(cuboid_factorisation_reciprocal_condition_in_norm, handle_of(factors),
                             cuboid_norm_kind(kind), &reciprocal);
             return reciprocal;
           })
      .def("copy_to",
           [](const Factorisation& factors, const Matrix& to) {
             run_without_gil(cuboid_factorisation_copy, handle_of(factors), handle_of(to));
           })
      .def("solve",
           [](const Factorisation& factors, int op, const Matrix& b) {
             run_without_gil(cuboid_factorisation_solve, handle_of(factors), cuboid_op(op),
                             handle_of(b));
           })
      .def("inverse",
           [](const Factorisation& factors, const Matrix& x) {
             run_without_gil(cuboid_factorisation_inverse, handle_of(factors), handle_of(x));
           })
      .def("refine",
           [](const Factorisation& factors, const Matrix& a, const Matrix& b, const Matrix& x,
              int steps) {
             run_without_gil(cuboid_refine, handle_of(factors), handle_of(a), handle_of(b),
                             handle_of(x), steps);
           })
      .def("is_freed", &Factorisation::is_freed)
      .def("free", &Factorisation::free);
}

py::array taus(const QrFactorisation& factors) {
  cuboid_datatype type = CUBOID_BYTE;
  const void* first = nullptr;
  std::size_t count = 0;
  check(cuboid_qr_type(handle_of(factors), &type));
  check(cuboid_qr_taus(handle_of(factors), &first, &count));
  return {dtype_of(type), {static_cast<py::ssize_t>(count)}, first};
}

void define_qr(py::module_& module) {
  module.def("qr", [](const Matrix& a) {
    cuboid_qr_factorisation factors = nullptr;
    run_without_gil(cuboid_qr, handle_of(a), &factors);
    return QrFactorisation("factorisation", QrFactorisation::Thing(factors));
  });
  module.def("least_squares", [](const Matrix& a, const Matrix& b, const Matrix& x) {
    run_without_gil(cuboid_least_squares, handle_of(a), handle_of(b), handle_of(x));
  });
  py::class_<QrFactorisation>(module, "QrFactorisation")
      .def("info",
           [](const QrFactorisation& factors) {
             std::int64_t info = 0;
             check(cuboid_qr_info(handle_of(factors), &info));
             return info;
           })
      .def("is_finite",
           [](const QrFactorisation& factors) {
             int finite = 0;
             check(cuboid_qr_is_finite(handle_of(factors), &finite));
             return finite != 0;
           })
      .def("taus", &taus)
      .def("copy_to",
           [](const QrFactorisation& factors, const Matrix& to) {
             run_without_gil(cuboid_qr_copy, handle_of(factors), handle_of(to));
           })
      .def("copy_q_to",
           [](const QrFactorisation& factors, const Matrix& to) {
             run_without_gil(cuboid_qr_copy_q, handle_of(factors), handle_of(to));
           })
      .def("copy_r_to",
           [](const QrFactorisation& factors, const Matrix& to) {
             run_without_gil(cuboid_qr_copy_r, handle_of(factors), handle_of(to));
           })
      .def("apply",
           [](const QrFactorisation& factors, int op, int side, const Matrix& c) {
             run_without_gil(cuboid_qr_apply, handle_of(factors), cuboid_op(op), cuboid_side(side),
                             handle_of(c));
           })
      .def("least_squares",
           [](const QrFactorisation& factors, const Matrix& b, const Matrix& x) {
             run_without_gil(cuboid_qr_least_squares, handle_of(factors), handle_of(b),
                             handle_of(x));
           })
      .def("is_freed", &QrFactorisation::is_freed)
      .def("free", &QrFactorisation::free);
}

}  // namespace

void define_matrices(py::module_& module) {
  py::class_<Matrix>(module, "Matrix")
      .def_static("create", &create)
      .def_static("wrap", &wrap)
      .def("part", &part)
      .def("device", &device)
      .def("global_indices", &global)
      .def("type", [](const Matrix& matrix) { return dtype_of(type_of(matrix)); })
      .def("fill_random",
           [](const Matrix& matrix, std::uint64_t seed) {
             check(cuboid_matrix_fill_random(handle_of(matrix), seed));
           })
      .def("is_freed", &Matrix::is_freed)
      .def("free", &Matrix::free);
  define_products(module);
  define_factorisations(module);
  define_qr(module);
}

}  // namespace cuboid::detail::python
