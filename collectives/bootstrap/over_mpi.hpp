#pragma once

#include "collectives/bootstrap/mpi_domain.hpp"

#include <memory>

namespace cuboid::detail {

/// A bootstrap whose ranks are those of an MPI communicator.
class OverMpi {
 public:
  virtual ~OverMpi() = default;
  /// Where a carrier over MPI sends its messages. May be collective.
  virtual std::shared_ptr<MpiDomain> domain() const = 0;
  /// Whether a rank that waits in Cuboid has to let MPI work; the drop-in sees to that itself.
  virtual bool wants_mpi_turns() const { return true; }
};

}  // namespace cuboid::detail
