#pragma once

#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "base/stopwatch.hpp"
#include "mm/local/resident_matrix.hpp"
#include "mm/lu/lu_grid.hpp"
#include "mm/lu/lu_outcome.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/matrix/local_views.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Column-major memory of this many rows and columns.
template <class T, class Allocator>
LocalView<T> resized(std::vector<T, Allocator>& memory, std::int64_t rows, std::int64_t columns) {
  memory.resize(static_cast<std::size_t>(rows * columns));
  return dense_view(memory.data(), rows, columns);
}

template <class T>
LocalView<T> part(LocalView<T> view, const Extent& rows, const Extent& columns) {
  return view.block(rows.begin, columns.begin, rows.length(), columns.length());
}

/// The state of one rank's factorisation, for all steps.
template <MatrixElement T>
struct LuContext {
  const LuGrid& grid;
  const PanelSchedule& schedule;
  const LuMethod& method;
  LayeredPosition here;
  LocalView<T> parts;  ///< this rank's rows and columns of A
  const LocalKernels& kernels;
  /// Has the parts right of the panel, while the panel and what is left of it is on the host.
  ResidentMatrix<T> resident = {};
  LuOutcome outcome = {};
  AlignedVector<T> piece = {}, packed = {};  ///< scratch memory of one step at a time

  bool has_layers() const { return schedule.layers() > 1; }
  bool pivots() const { return method.pivoting != Pivoting::none; }
  bool in_row(const PanelStep& step) const { return here.row == step.row; }
  bool in_column(const PanelStep& step) const { return here.column == step.column; }
  Extent slice(const PanelStep& step) const { return schedule.slice(step, here.layer); }

  std::int64_t global_row(std::int64_t local) const {
    const std::int64_t block = schedule.block();
    return (local / block * schedule.rows() + here.row) * block + local % block;
  }
  int grid_row_of(std::int64_t row) const {
    return static_cast<int>(row / schedule.block() % schedule.rows());
  }
  std::int64_t local_row(std::int64_t row) const {
    return schedule.rows_before(grid_row_of(row), row);
  }
};

/// Adds its lifetime, and what the rank sends during it, to the outcome.
template <MatrixElement T>
class StepMeter {
 public:
  StepMeter(LuContext<T>& lu, double LuSeconds::*seconds, CommunicationCost LuCommunication::*count)
      : watch_(lu.outcome.seconds.*seconds),
        grid_(lu.grid),
        count_(lu.outcome.traffic.*count),
        before_(so_far()) {}
  ~StepMeter() {
    const Traffic sent = so_far() - before_;
    count_.words += static_cast<double>(sent.bytes_sent) / static_cast<double>(sizeof(T));
    count_.messages += static_cast<double>(sent.messages_sent);
  }
  StepMeter(const StepMeter&) = delete;
  StepMeter& operator=(const StepMeter&) = delete;

 private:
  /// The traffic with all ranks with which this one communicates. Its line is in both planes.
  Traffic so_far() const {
    Traffic traffic = grid_.row_plane.traffic();
    traffic += grid_.column_plane.traffic();
    return traffic - grid_.line.traffic();
  }

  Stopwatch watch_;
  const LuGrid& grid_;
  CommunicationCost& count_;
  Traffic before_;
};

}  // namespace cuboid::detail
