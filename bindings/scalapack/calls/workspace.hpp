#pragma once

#include <cuboid/element.hpp>
#include <cuboid/error.hpp>

#include "bindings/scalapack/calls/context.hpp"
#include "collectives/communicator/collective_try.hpp"

#include <complex>

namespace cuboid::detail::scalapack {

/// The LWORK that asks a routine for the length of its workspace.
constexpr int workspace_query = -1;

/// Throws on all ranks if a rank gave a shorter workspace than the native routine asks for, which
/// reports that itself. Collective.
inline void require_workspace(const Context& context, double given, double required) {
  collective_try(context.ours(), [&] {
    if (given >= required) return;
    throw Error(ErrorCode::invalid_argument, "the workspace is too short");
  });
}

/// The length of WORK that the native routine asks for, as it stores it in WORK(1). Throws as
/// require_workspace(). Collective.
/// @param ask  calls the native routine with this WORK, LWORK and INFO.
template <MatrixElement T, class Ask>
T required_workspace(const Context& context, int given, const Ask& ask) {
  T required(0);
  int info = 0;
  ask(&required, &workspace_query, &info);
  require_workspace(context, info == 0 ? given : -1, static_cast<double>(std::real(required)));
  return required;
}

}  // namespace cuboid::detail::scalapack
