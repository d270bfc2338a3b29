#pragma once

#include <cuboid/base/error.hpp>
#include <cuboid/collectives/communicator.hpp>

#include <exception>
#include <new>
#include <optional>
#include <string>
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
  const std::string here = "rank " + std::to_string(communicator.rank()) + ": ";
  try {
    result.emplace(prepare());
  } catch (const Error& error) {
    failure.emplace(error);
  } catch (const std::bad_alloc&) {
    failure.emplace(ErrorCode::out_of_memory, here + "out of memory");
  } catch (const std::exception& error) {
    failure.emplace(ErrorCode::internal, here + error.what());
  }
  communicator.agree(failure ? &*failure : nullptr);
  return std::move(*result);
}

}  // namespace cuboid
