#pragma once

#include "models/messages/log_gp.hpp"
#include "models/multiplication/product_extents.hpp"

namespace cuboid::detail {

/// An l-ary d-cube torus of l^d ranks (Solomonik and Demmel 2012, §2), d even.
struct ShiftTorus {
  double extent = 1;      ///< l
  double dimensions = 2;  ///< d

  double ranks() const;  ///< P = l^d
};

/// l·d/2: the shift stages of SD-Cannon's stagger (Solomonik and Demmel 2012, §3).
double sd_stagger_stages(const ShiftTorus& torus);
/// l + l² + … + l^(d/2): the shift stages of SD-Cannon's contraction, at most 2·√P (Solomonik and
/// Demmel 2012, §3).
double sd_contract_stages(const ShiftTorus& torus);

/// Seconds of 2·√P stages, each a message of max(m, n)·k/P elements over a link.
double cannon_seconds(const Hockney& per_element, const ProductExtents& product, double ranks);
/// Seconds of stagger and contraction. In each stage every link carries a message of max(m,
/// n)·k/(d·P) elements.
double sd_cannon_seconds(const Hockney& per_element, const ProductExtents& product,
                         const ShiftTorus& torus);

}  // namespace cuboid::detail
