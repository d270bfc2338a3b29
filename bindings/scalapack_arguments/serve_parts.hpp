#pragma once

#include "bindings/scalapack_arguments/descriptor.hpp"
#include "bindings/scalapack_choice/serve.hpp"

#include <algorithm>
#include <initializer_list>

namespace cuboid::detail::scalapack {

/// Serves a call on submatrices of one context, or hands it on where one of them is not served or
/// this process has no part in the context.
/// @param its_class  but for the grid.
/// @param prepare, run  as serve() has them, with the context.
template <class Prepare, class Run, class HandOn>
void serve_parts(std::initializer_list<Submatrix> parts, CallClass its_class,
                 const Prepare& prepare, const Run& run, const HandOn& hand_on) {
  const int number = parts.begin()->descriptor.context;
  const BlacsGrid grid = grid_of(number);
  const bool served = grid.has_this_process() && std::ranges::all_of(parts, [&](const auto& part) {
                        return part.descriptor.context == number && is_served(part, grid);
                      });
  Context* const context = served ? context_of(number, grid) : nullptr;
  if (context == nullptr) return hand_on();
  its_class.grid = {grid.rows, grid.columns};
  serve(
      *context, its_class, [] { return 0.0; }, [&] { prepare(*context); }, [&] { run(*context); },
      hand_on);
}

}  // namespace cuboid::detail::scalapack
