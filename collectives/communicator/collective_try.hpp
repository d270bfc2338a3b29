#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace cuboid::detail {

/// Runs `prepare` on every rank and returns its result. If it throws on any rank, every rank throws
/// the error of the lowest rank on which it threw. So no rank waits in later communication for a
/// rank that could not get its memory or its file. Collective. `prepare` may communicate only if a
/// failure on one rank makes it throw on all ranks that take part.
template <class Prepare>
auto collective_try(const Communicator& communicator, Prepare&& prepare)
    -> std::invoke_result_t<Prepare> {
  using Returned = std::invoke_result_t<Prepare>;
  constexpr bool returns = !std::is_void_v<Returned>;
  std::optional<std::conditional_t<returns, Returned, std::monostate>> result;
  std::optional<Error> failure;
  const std::string here = "rank " + std::to_string(communicator.rank()) + ": ";
  try {
    if constexpr (returns) {
      result.emplace(prepare());
    } else {
      prepare();
    }
  } catch (const Error& error) {
    failure.emplace(error);
  } catch (const std::bad_alloc&) {
    failure.emplace(ErrorCode::out_of_memory, here + "out of memory");
  } catch (const std::exception& error) {
    failure.emplace(ErrorCode::internal, here + error.what());
  }
  communicator.throw_if_any_failed(failure ? &*failure : nullptr);
  if constexpr (returns) return std::move(*result);
}

}  // namespace cuboid::detail
