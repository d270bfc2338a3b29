#include <cuboid/irregular_layout.hpp>
#include <cuboid/redistribute.hpp>

#include "bindings/c/matrix_handles.hpp"

#include <algorithm>
#include <variant>
#include <vector>

using namespace cuboid::detail::c;
using cuboid::AnyLayout;
using cuboid::IrregularLayout;
using cuboid::IrregularMatrix;
using cuboid::Matrix;
using cuboid::RedistributionDestination;
using cuboid::RedistributionPlan;
using cuboid::RedistributionSource;
using cuboid::RedistributionStep;

struct cuboid_redistribution_s {
  OfAnyType<RedistributionPlan> plan;
  cuboid::Op op;
};

namespace {

IrregularLayout layout_of(const cuboid_irregular_layout& layout) {
  if (layout.row_blocks < 0 || layout.column_blocks < 0) refuse("a negative number of blocks");
  const auto cuts = [](const int64_t* from, int blocks) {
    const int64_t* const first = &required(from, "the cuts");
    return std::vector<int64_t>(first, first + blocks + 1);
  };
  const int* const owners = layout.row_blocks > 0 && layout.column_blocks > 0
                                ? &required(layout.owners, "the owners")
                                : nullptr;
  return {
      cuts(layout.row_cuts, layout.row_blocks), cuts(layout.column_cuts, layout.column_blocks),
      [&](IrregularLayout::Place place) {
        return owners[static_cast<std::ptrdiff_t>(place.row) * layout.column_blocks + place.column];
      }};
}

/// Calls `use` with the matrix, of any kind of layout and any element type.
template <class Use>
auto with_matrix(cuboid_matrix matrix, const Use& use) {
  return std::visit([&](auto& kind) { return std::visit(use, kind); },
                    required(matrix, "the matrix").matrix);
}

/// Calls `use` with the matrix, which may have any kind of layout but must have the element type T.
template <class T, class Use>
auto with_matrix_of(cuboid_matrix matrix, const Use& use) {
  return std::visit(
      [&]<template <class> class Kind>(
          std::variant<Kind<float>, Kind<double>, Kind<std::complex<float>>,
                       Kind<std::complex<double>>>& kind) {
        auto* const typed = std::get_if<Kind<T>>(&kind);
        if (typed == nullptr) refuse("matrices of different types; give all the same");
        return use(*typed);
      },
      required(matrix, "the matrix").matrix);
}

template <class T>
RedistributionStep<T> step_of(const void* alpha, const cuboid_op& op, cuboid_matrix source,
                              const void* beta, cuboid_matrix destination) {
  return {scalar<T>(alpha),
          with_matrix_of<T>(
              source, [&](auto& matrix) { return RedistributionSource<T>(op_of(op), matrix); }),
          scalar<T>(beta), with_matrix_of<T>(destination, [](auto& matrix) {
            return RedistributionDestination<T>(matrix);
          })};
}

}  // namespace

int cuboid_matrix_create_irregular(const struct cuboid_irregular_layout* layout,
                                   cuboid_datatype type, cuboid_communicator communicator,
                                   cuboid_matrix* matrix) {
  return guarded([&] {
    const auto& ranks = of(communicator);
    const IrregularLayout lies = layout_of(required(layout, "the layout"));
    give(matrix, [&] {
      return with_type(
          type, [&]<class T>(T) { return new cuboid_matrix_s{IrregularMatrix<T>(ranks, lies)}; });
    });
  });
}

int cuboid_matrix_block(cuboid_matrix matrix, int number, struct cuboid_block* block) {
  return guarded([&] {
    with_matrix(matrix, [&]<template <class> class Kind, class T>(Kind<T>& of_type) {
      cuboid_block& found = required(block, "the pointer to a block");
      if constexpr (requires { of_type.blocks(); }) {
        const auto count = static_cast<int>(of_type.blocks().size());
        if (number < 0 || number >= count) {
          refuse("block " + std::to_string(number) + " of the " + std::to_string(count) +
                 " that this rank has");
        }
        const auto index = static_cast<std::size_t>(number);
        const auto& local = of_type.blocks()[index];
        const auto& place = of_type.places()[index];
        found = {place.row,  place.column,  local.data,
                 local.rows, local.columns, local.leading_dimension};
      } else {
        refuse("a matrix that is not in irregular blocks: use cuboid_matrix_part() for its part");
      }
    });
  });
}

int cuboid_redistribute(enum cuboid_op op, cuboid_matrix source, cuboid_matrix destination) {
  return guarded([&] {
    with_matrix(destination, [&]<template <class> class Kind, class T>(Kind<T>&) {
      const T one(1), zero(0);
      const auto step = step_of<T>(&one, op, source, &zero, destination);
      cuboid::redistribute<T>(std::span(&step, 1));
    });
  });
}

int cuboid_redistribute_add(const void* alpha, enum cuboid_op op, cuboid_matrix source,
                            const void* beta, cuboid_matrix destination) {
  return guarded([&] {
    with_matrix(destination, [&]<template <class> class Kind, class T>(Kind<T>&) {
      const auto step = step_of<T>(alpha, op, source, beta, destination);
      cuboid::redistribute<T>(std::span(&step, 1));
    });
  });
}

int cuboid_redistribution_create(enum cuboid_op op, cuboid_matrix source, cuboid_matrix destination,
                                 cuboid_redistribution* redistribution) {
  return guarded([&] {
    with_matrix(destination, [&]<template <class> class Kind, class T>(Kind<T>& to) {
      const AnyLayout from =
          with_matrix_of<T>(source, [](auto& matrix) { return AnyLayout(matrix.layout()); });
      give(redistribution, "the pointer to a redistribution", [&] {
        return new cuboid_redistribution_s{
            RedistributionPlan<T>(to.communicator(), from, op_of(op), to.layout()), op_of(op)};
      });
    });
  });
}

int cuboid_redistribution_run(cuboid_redistribution redistribution, const void* alpha,
                              cuboid_matrix source, const void* beta, cuboid_matrix destination) {
  return guarded([&] {
    auto& planned = required(redistribution, "the redistribution");
    std::visit(
        [&]<class T>(RedistributionPlan<T>& plan) {
          const RedistributionStep<T> step{
              scalar<T>(alpha),
              with_matrix_of<T>(
                  source,
                  [&](auto& matrix) { return RedistributionSource<T>(planned.op, matrix); }),
              scalar<T>(beta), with_matrix_of<T>(destination, [](auto& matrix) {
                return RedistributionDestination<T>(matrix);
              })};
          plan.run(std::span(&step, 1));
        },
        planned.plan);
  });
}

int cuboid_redistribution_free(cuboid_redistribution* redistribution) {
  return free_handle(redistribution);
}
