#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/neighbourhood.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include "bindings/c/guarded.hpp"

#include <utility>

#include <cuboid.h>

// The types to which C's opaque handles point.

struct cuboid_communicator_s {
  cuboid::Communicator communicator;
};

struct cuboid_reduction_s {
  cuboid::Reduction reduction;
};

struct cuboid_neighbourhood_s {
  cuboid::Neighbourhood neighbourhood;
};

struct cuboid_request_s {
  cuboid::Request request;
};

struct cuboid_plan_s {
  cuboid::CollectivePlan plan;
  std::string algorithm;
};

namespace cuboid::detail::c {

inline const Communicator& of(cuboid_communicator handle) {
  return required(handle, "the communicator").communicator;
}

inline const Neighbourhood& of(cuboid_neighbourhood handle) {
  return required(handle, "the neighbourhood").neighbourhood;
}

/// Stores a handle for the caller; NULL if the communicator is not valid.
inline void give(Communicator made, cuboid_communicator* to) {
  required(to, "the pointer to a communicator") =
      made.valid() ? new cuboid_communicator_s{std::move(made)} : nullptr;
}

inline void give(Request made, cuboid_request* to) {
  required(to, "the pointer to a request") = new cuboid_request_s{std::move(made)};
}

inline void give(CollectivePlan made, cuboid_plan* to) {
  std::string algorithm(made.algorithm());
  required(to, "the pointer to a plan") = new cuboid_plan_s{std::move(made), std::move(algorithm)};
}

/// Throw Error(invalid_argument) if the value is not a type, or not an operation.
Datatype type_of(cuboid_datatype type);
const Reduction& reduction_of(cuboid_reduction reduction);

}  // namespace cuboid::detail::c
