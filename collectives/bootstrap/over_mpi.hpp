#pragma once

#include "collectives/bootstrap/mpi_domain.hpp"

#include <memory>

namespace cuboid::detail {

/// A bootstrap whose ranks are the ranks of an MPI communicator.
class OverMpi {
 public:
  virtual ~OverMpi() = default;
  /// The domain in which a carrier over MPI sends its messages. May be collective.
  virtual std::shared_ptr<MpiDomain> domain() const = 0;
  /// True if a rank that waits in Cuboid has to let MPI work. The drop-in does that itself.
  virtual bool wants_mpi_turns() const { return true; }
};

}  // namespace cuboid::detail
