#pragma once

#include <cuboid/base/error.hpp>
#include <cuboid/collectives/communicator.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace cuboid {

/// Runs `prepare` on every rank, and throws on all of them what the lowest failed rank threw, so
/// that none waits in later communication for one that could not get its memory or its file.
/// Returns what `prepare` returned. Collective; `prepare` itself may communicate only among ranks
/// on all of which it throws when it does on one.
template <class Prepare>
auto agreed(const Communicator& communicator, Prepare&& prepare) -> std::invoke_result_t<Prepare> {
  std::optional<std::invoke_result_t<Prepare>> result;
  std::optional<Error> failure;
  try {
    result.emplace(prepare());
  } catch (const Error& error) {
    failure.emplace(error);
  }
  communicator.agree(failure ? &*failure : nullptr);
  return std::move(*result);
}

}  // namespace cuboid
