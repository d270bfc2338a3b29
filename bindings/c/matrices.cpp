#include <cuboid/multiply.hpp>

#include "bindings/c/matrix_handles.hpp"

#include <variant>
#include <vector>

using namespace cuboid::detail::c;
using cuboid::Layout;
using cuboid::Matrix;
using cuboid::MultiplicationPlan;

struct cuboid_multiplication_s {
  OfAnyType<MultiplicationPlan> plan;
  std::string algorithm;
};

namespace {

cuboid::GridShape grid_of(const cuboid_layout& layout, const cuboid::Communicator& communicator) {
  const int rows = layout.grid_rows, columns = layout.grid_columns;
  if (rows == 0 && columns == 0) {
    if (layout.ranks != nullptr) refuse("a layout with ranks, but without a grid: give its size");
    return cuboid::choose_grid(communicator.size());
  }
  const cuboid::GridShape grid(rows, columns);
  if (layout.ranks == nullptr) return grid;
  return {rows, columns, std::vector<int>(layout.ranks, layout.ranks + grid.size())};
}

Layout layout_of(const cuboid_layout& layout, const cuboid::Communicator& communicator) {
  const cuboid::GridShape grid = grid_of(layout, communicator);
  if (layout.row_block == 0 && layout.column_block == 0) {
    if (layout.first_row != 0 || layout.first_column != 0)
      refuse("a layout of one block per rank must begin at (0, 0): give block sizes");
    return Layout::block(layout.m, layout.n, grid);
  }
  return Layout::block_cyclic(layout.m, layout.n, layout.row_block, layout.column_block, grid,
                              {layout.first_row, layout.first_column});
}

cuboid::MultiplyOptions options_of(const char* algorithm) {
  cuboid::MultiplyOptions options;
  if (algorithm != nullptr) options.algorithm = cuboid::parse_multiplication_algorithm(algorithm);
  return options;
}

}  // namespace

int cuboid_matrix_create(const struct cuboid_layout* layout, cuboid_datatype type,
                         cuboid_communicator communicator, cuboid_matrix* matrix) {
  return guarded([&] {
    const auto& ranks = of(communicator);
    const Layout lies = layout_of(required(layout, "the layout"), ranks);
    give(matrix, [&] {
      return with_type(type,
                       [&]<class T>(T) { return new cuboid_matrix_s{Matrix<T>(ranks, lies)}; });
    });
  });
}

int cuboid_matrix_create_on_device(const struct cuboid_layout* layout, cuboid_datatype type,
                                   int device, cuboid_communicator communicator,
                                   cuboid_matrix* matrix) {
  return guarded([&] {
    const auto& ranks = of(communicator);
    const Layout lies = layout_of(required(layout, "the layout"), ranks);
    give(matrix, [&] {
      return with_type(type, [&]<class T>(T) {
        return new cuboid_matrix_s{Matrix<T>::on_device(ranks, lies, device)};
      });
    });
  });
}

int cuboid_matrix_device(cuboid_matrix matrix, int* device) {
  return guarded([&] {
    required(device, "the pointer to a device's number") = std::visit(
        [](const auto& of_type) { return of_type.device().value_or(-1); }, matrix_of(matrix));
  });
}

int cuboid_matrix_wrap(const struct cuboid_layout* layout, cuboid_datatype type, void* data,
                       int64_t leading_dimension, cuboid_communicator communicator,
                       cuboid_matrix* matrix) {
  return guarded([&] {
    const auto& ranks = of(communicator);
    const Layout lies = layout_of(required(layout, "the layout"), ranks);
    not_in_place(data, "the part");
    give(matrix, [&] {
      return with_type(type, [&]<class T>(T) {
        return new cuboid_matrix_s{
            Matrix<T>::wrap(ranks, lies, static_cast<T*>(data), leading_dimension)};
      });
    });
  });
}

int cuboid_matrix_view(cuboid_matrix whole, int64_t i, int64_t j, int64_t m, int64_t n,
                       cuboid_matrix* part) {
  return guarded([&] {
    std::visit(
        [&](auto& of_type) {
          using T = matrix_element_of<decltype(of_type)>;
          give(part, [&] {
            return new cuboid_matrix_s{Matrix<T>(view(of_type, cuboid::Global<cuboid::Row>(i),
                                                      cuboid::Global<cuboid::Column>(j), m, n))};
          });
        },
        matrix_of(whole));
  });
}

int cuboid_matrix_free(cuboid_matrix* matrix) {
  return free_handle(matrix);
}

int cuboid_matrix_type(cuboid_matrix matrix, cuboid_datatype* type) {
  return guarded([&] { required(type, "the pointer to a type") = type_in(matrix_of(matrix)); });
}

int cuboid_matrix_part(cuboid_matrix matrix, void** data, int64_t* rows, int64_t* columns,
                       int64_t* leading_dimension) {
  return guarded([&] {
    std::visit(
        [&](auto& of_type) {
          if (data != nullptr) *data = of_type.data();
          if (rows != nullptr) *rows = of_type.local_rows();
          if (columns != nullptr) *columns = of_type.local_columns();
          if (leading_dimension != nullptr) *leading_dimension = of_type.leading_dimension();
        },
        matrix_of(matrix));
  });
}

int cuboid_matrix_global(cuboid_matrix matrix, int64_t i, int64_t j, int64_t* row,
                         int64_t* column) {
  return guarded([&] {
    std::visit(
        [&](const auto& of_type) {
          const auto here = of_type.position();
          if (!here || i < 0 || j < 0 || i >= of_type.local_rows() || j >= of_type.local_columns())
            refuse("this rank's part has no element (" + std::to_string(i) + ", " +
                   std::to_string(j) + ")");
          const Layout& layout = of_type.layout();
          required(row, "the pointer to a row") =
              layout.rows().global(here->row, cuboid::Local<cuboid::Row>(i)).value;
          required(column, "the pointer to a column") =
              layout.columns().global(here->column, cuboid::Local<cuboid::Column>(j)).value;
        },
        matrix_of(matrix));
  });
}

int cuboid_matrix_fill_random(cuboid_matrix matrix, uint64_t seed) {
  return guarded(
      [&] { std::visit([&](auto& of_type) { of_type.fill_random(seed); }, matrix_of(matrix)); });
}

int cuboid_multiply(const void* alpha, enum cuboid_op op_a, cuboid_matrix a, enum cuboid_op op_b,
                    cuboid_matrix b, const void* beta, cuboid_matrix c, const char* algorithm) {
  return guarded([&] {
    std::visit(
        [&](auto& C) {
          using T = matrix_element_of<decltype(C)>;
          cuboid::multiply<T>(scalar<T>(alpha), {op_of(op_a), of_type<T>(a)},
                              {op_of(op_b), of_type<T>(b)}, scalar<T>(beta), C,
                              gemm_of(C.communicator()), options_of(algorithm));
        },
        matrix_of(c));
  });
}

int cuboid_multiplication_create(enum cuboid_op op_a, cuboid_matrix a, enum cuboid_op op_b,
                                 cuboid_matrix b, cuboid_matrix c, const char* algorithm,
                                 cuboid_multiplication* multiplication) {
  return guarded([&] {
    std::visit(
        [&](auto& C) {
          using T = matrix_element_of<decltype(C)>;
          give(multiplication, "the pointer to a multiplication", [&] {
            MultiplicationPlan<T> plan(C.communicator(),
                                       {of_type<T>(a).layout(), op_of(op_a), of_type<T>(b).layout(),
                                        op_of(op_b), C.layout()},
                                       gemm_of(C.communicator()), options_of(algorithm));
            std::string name(to_string(plan.algorithm()));
            return new cuboid_multiplication_s{std::move(plan), std::move(name)};
          });
        },
        matrix_of(c));
  });
}

int cuboid_multiplication_run(cuboid_multiplication multiplication, const void* alpha,
                              cuboid_matrix a, cuboid_matrix b, const void* beta, cuboid_matrix c) {
  return guarded([&] {
    std::visit(
        [&](auto& plan) {
          using T = matrix_element_of<decltype(plan)>;
          plan.run(scalar<T>(alpha), of_type<T>(a), of_type<T>(b), scalar<T>(beta), of_type<T>(c));
        },
        required(multiplication, "the multiplication").plan);
  });
}

int cuboid_multiplication_algorithm(cuboid_multiplication multiplication, const char** name) {
  return guarded([&] {
    required(name, "the pointer to a name") =
        required(multiplication, "the multiplication").algorithm.c_str();
  });
}

int cuboid_multiplication_free(cuboid_multiplication* multiplication) {
  return free_handle(multiplication);
}
