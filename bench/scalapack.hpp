#pragma once

// Common to the benchmarks of ScaLAPACK: BLACS, process grids and distributed matrices.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* process, const int* first,
            const int* processes);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading, int* info);
}

/// A process grid of all ranks in row-major order.
struct ScalapackGrid {
  int context = 0;
  int rows = 0;
  int columns = 0;
  int row = 0;
  int column = 0;

  ScalapackGrid(int grid_rows, int grid_columns) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", grid_rows, grid_columns);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  }
  ~ScalapackGrid() { Cblacs_gridexit(context); }
  ScalapackGrid(const ScalapackGrid&) = delete;
  ScalapackGrid& operator=(const ScalapackGrid&) = delete;
};

/// The largest divisor of a number of ranks that does not exceed `most`.
inline int largest_divisor(int ranks, int most) {
  while (ranks % most != 0) --most;
  return most;
}

/// A matrix in square blocks; all its elements are 0.5.
struct BlacsMatrix {
  std::array<int, 9> descriptor{};
  int local_rows = 1;
  std::vector<double> elements;

  BlacsMatrix(const ScalapackGrid& grid, int rows, int columns, int block) {
    const int first = 0;
    local_rows = std::max(1, numroc_(&rows, &block, &grid.row, &first, &grid.rows));
    const int width = std::max(1, numroc_(&columns, &block, &grid.column, &first, &grid.columns));
    int info = 0;
    descinit_(descriptor.data(), &rows, &columns, &block, &block, &first, &first, &grid.context,
              &local_rows, &info);
    if (info != 0) std::exit(1);
    elements.assign(static_cast<std::size_t>(local_rows) * static_cast<std::size_t>(width), 0.5);
  }
};
