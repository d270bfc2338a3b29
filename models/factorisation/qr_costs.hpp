#pragma once

#include "models/factorisation/panel_schedule.hpp"
#include "models/multiplication/product_extents.hpp"

namespace cuboid::detail {

/// The extents of one step of a blocked QR factorisation, over all ranks. QR goes through the
/// blocks of a matrix like 2-D LU (PanelSchedule with one layer).
struct QrStepSizes {
  double width;    ///< w, columns of the panel
  double left;     ///< rows of the panel: its first block and all below
  double right;    ///< columns right of the panel
  double members;  ///< ranks of the panel's process column that have rows of it

  QrStepSizes(const PanelSchedule& schedule, const PanelStep& step);
};

/// The words that a rank sends in one QR factorisation, the mean over the grid, and the messages
/// that the critical path waits for one after the other.
struct QrCommunication {
  CommunicationCost panel;      ///< factors R up the tree, the thin Q down, T to the process column
  CommunicationCost multicast;  ///< V and T along process rows
  CommunicationCost sums;       ///< VᴴA summed over process columns

  CommunicationCost total() const;
};

/// The communication of one step: words of all ranks, and messages one after the other.
QrCommunication qr_step_communication(const PanelSchedule& schedule, const QrStepSizes& size);

/// The communication of a schedule, summed over its steps.
QrCommunication qr_communication(const PanelSchedule& schedule);

/// Words of memory of the busiest rank: its part of the matrix, T of its panels, panels that travel
/// or are being factorised, and the sums of the update.
double qr_memory(const PanelSchedule& schedule);

/// 2·mn² − ⅔·n³ floating-point operations of a QR factorisation, m >= n; likewise for m < n.
double qr_operations(double m, double n);

/// A lower bound on the words that some rank sends or receives in a QR factorisation by orthogonal
/// transformations, as an order of magnitude: multiplications / (p·√(8S)) − S, at least 0, with
/// S words of memory per rank (Ballard et al. 2011, "Minimizing communication in numerical linear
/// algebra", corollary of theorem 2.2 as for LU).
double qr_least_words(double m, double n, double ranks, double memory);

}  // namespace cuboid::detail
