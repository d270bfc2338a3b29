#pragma once

#include <cuboid/reduction.hpp>

#include "collectives/schedules/schedule.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// One rank's part of a collective in which all ranks reach each other's buffers: each copies what
/// it needs from where it lies, and combines the contributions to its results, in rank order. So
/// all ranks get the same bits. Between rounds all ranks wait for each other.
struct DirectPlan {
  /// What a rank lets the others use of its buffers.
  struct SharedSide {
    Address begin;
    std::size_t bytes = 0;  ///< 0: nothing
    /// Whether this rank alone uses it, by copies: then it may be the host's memory.
    bool only_here = false;
  };
  enum class Which { given, wanted };
  /// A place in a side of a rank.
  struct SharedPlace {
    int rank = 0;
    Which which = Which::given;
    std::size_t offset = 0;
  };
  /// to ← from[0] ⊕ from[1] ⊕ …; a copy if there is only one.
  struct DirectStep {
    std::vector<SharedPlace> from;
    SharedPlace to;
    std::size_t bytes = 0;
  };

  SharedSide given = {};                             ///< what this rank contributes
  SharedSide wanted = {};                            ///< where its results go
  std::vector<std::vector<DirectStep>> rounds = {};  ///< as many on all ranks
  std::size_t call_bytes = 0;  ///< the call's length, if all ranks know it; else 0
  std::optional<Reduction::Kind> combination = {};  ///< if any rank combines
  Datatype type = Datatype::Kind::byte;
  /// What goes between this rank and others, whichever of the two copies it.
  std::vector<PeerTraffic> traffic = {};
};

/// Plans a call of the rank `rank` of `ranks`. nullopt for calls that are not served: without data,
/// with a user's reduction, scans in place, and all-to-alls in which a rank knows only its own
/// blocks' places.
std::optional<DirectPlan> direct_plan(const Collective& collective, int ranks, int rank);

}  // namespace cuboid::detail
