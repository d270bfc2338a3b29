#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/local_lapack.hpp>
#include <cuboid/matrix.hpp>

#include "base/stopwatch.hpp"
#include "mm/matrix/process_grid.hpp"
#include "mm/qr/qr_outcome.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <cstdint>

namespace cuboid::detail {

/// The state of a factorisation on one rank of the grid, for all steps. QR goes through a matrix's
/// blocks like 2-D LU.
template <MatrixElement T>
struct QrContext {
  const ProcessGrid& grid;
  const PanelSchedule& schedule;
  GridPosition here;
  LocalView<T> parts;          ///< this rank's rows and columns of the matrix
  LocalView<T> block_factors;  ///< T of the panels whose columns this rank has: a block × its
                               ///< columns
  const LocalKernels& kernels;
  QrOutcome<T> outcome = {};

  bool in_column(const PanelStep& step) const { return here.column == step.column; }
  /// This rank's rows from a step's first on.
  Extent rows_left(const PanelStep& step) const { return schedule.panel_rows(step, here.row); }
  /// Its rows of a step's panel, if it is in the panel's column.
  LocalView<T> panel(const PanelStep& step) const {
    const Extent rows = rows_left(step), columns = schedule.step_columns(step);
    return parts.block(rows.begin, columns.begin, rows.length(), columns.length());
  }
  LocalView<T> block_factor(const PanelStep& step) const {
    return block_factors.block(0, schedule.step_columns(step).begin, step.width(), step.width());
  }
};

/// Adds its lifetime to the seconds of a step. What the rank sends down its process column during
/// it counts for the step. Along its process row there are only multicasts, whatever the rank does
/// while it forwards them.
template <MatrixElement T>
class QrMeter {
 public:
  QrMeter(QrContext<T>& qr, double QrSeconds::*seconds, CommunicationCost QrCommunication::*count)
      : watch_(qr.outcome.seconds.*seconds),
        row_(qr.grid.row(), qr.outcome.traffic.multicast),
        column_(qr.grid.column(), qr.outcome.traffic.*count) {}

 private:
  class SentAlong {
   public:
    SentAlong(const Communicator& line, CommunicationCost& sent)
        : line_(line), sent_(sent), before_(line.traffic()) {}
    ~SentAlong() {
      const Traffic meanwhile = line_.traffic() - before_;
      sent_.words += static_cast<double>(meanwhile.bytes_sent) / static_cast<double>(sizeof(T));
      sent_.messages += static_cast<double>(meanwhile.messages_sent);
    }
    SentAlong(const SentAlong&) = delete;
    SentAlong& operator=(const SentAlong&) = delete;

   private:
    const Communicator& line_;
    CommunicationCost& sent_;
    Traffic before_;
  };

  Stopwatch watch_;
  SentAlong row_, column_;
};

}  // namespace cuboid::detail
