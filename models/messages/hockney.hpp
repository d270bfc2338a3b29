#pragma once

namespace cuboid::detail {

/// Hockney's model of a network: a message of m bytes takes α + β·m seconds (Quintin et al. 2013,
/// §IV).
struct Hockney {
  double alpha = 0;  ///< seconds per message
  double beta = 0;   ///< seconds per byte
};

}  // namespace cuboid::detail
