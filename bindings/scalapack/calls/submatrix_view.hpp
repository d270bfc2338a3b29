#pragma once

#include <cuboid/error.hpp>
#include <cuboid/matrix.hpp>

#include "bindings/scalapack/calls/descriptor.hpp"
#include "bindings/scalapack/calls/serve.hpp"
#include "collectives/communicator/collective_try.hpp"
#include "mm/matrix/local_views.hpp"

#include <algorithm>
#include <initializer_list>

namespace cuboid::detail::scalapack {

/// A view of a submatrix in the program's memory. The memory is written only if the routine writes
/// the submatrix.
/// @param ranks  the ranks of the communicator, by their places on the grid of the submatrix's
///               context.
template <MatrixElement T>
MatrixView<T> view_of(const Communicator& communicator, const GridShape& ranks,
                      const Submatrix& part, const T* data) {
  const Layout layout = layout_of_all(part.descriptor, ranks);
  const std::int64_t rows = layout.local_rows(communicator.rank());
  // If there are no columns, the leading dimension may be smaller than the number of rows.
  const std::int64_t leading = std::max<std::int64_t>({part.descriptor.leading_dimension, rows, 1});
  Matrix<T> whole = Matrix<T>::wrap(communicator, layout, const_cast<T*>(data), leading);
  return MatrixView<T>(whole, range_of(part));
}

/// Throws on all ranks if, on any rank, a matrix that is written shares memory with a matrix that
/// is read. Only the native routine defines the result of such a call. Collective.
template <MatrixElement T, class... Reads>
void require_apart(const Matrix<T>& written, const Reads&... read) {
  collective_try(written.communicator(), [&] {
    if (!(overlap<T>(read.local(), written.local()) || ...)) return;
    throw Error(ErrorCode::invalid_argument, "the arguments share memory");
  });
}

/// Serves a call on submatrices of one context. Hands it on if Cuboid cannot serve one of them, or
/// if this process is not in the context.
/// @param its_class  the class without the grid, which is added here
/// @param predict, prepare, run  as for serve(), but they get the context as argument
template <class Predict, class Prepare, class Run, class HandOn>
void serve_parts(std::initializer_list<Submatrix> parts, CallClass its_class,
                 const Predict& predict, const Prepare& prepare, const Run& run,
                 const HandOn& hand_on) {
  const int number = parts.begin()->descriptor.context;
  const BlacsGrid grid = grid_of(number);
  const bool served = grid.has_this_process() && std::ranges::all_of(parts, [&](const auto& part) {
                        return part.descriptor.context == number && is_served(part, grid);
                      });
  Context* const context = served ? context_of(number, grid) : nullptr;
  if (context == nullptr) return hand_on();
  its_class.grid = {grid.rows, grid.columns};
  serve(
      *context, its_class, [&] { return predict(*context); }, [&] { prepare(*context); },
      [&] { run(*context); }, hand_on);
}

/// serve_parts() without a prediction.
template <class Prepare, class Run, class HandOn>
void serve_parts(std::initializer_list<Submatrix> parts, const CallClass& its_class,
                 const Prepare& prepare, const Run& run, const HandOn& hand_on) {
  serve_parts(
      parts, its_class, [](Context&) { return 0.0; }, prepare, run, hand_on);
}

}  // namespace cuboid::detail::scalapack
