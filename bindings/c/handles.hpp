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
  /// The stream whose work started collectives wait for; none except for cuboid_on_stream().
  cuboid::OnStream stream = {};
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
  cuboid::OnStream stream = {};  ///< its communicator's
};

namespace cuboid::detail::c {

inline OnStream stream_of(cuboid_communicator handle) {
  return required(handle, "the communicator").stream;
}

inline const Communicator& of(cuboid_communicator handle) {
  return required(handle, "the communicator").communicator;
}

inline const Neighbourhood& of(cuboid_neighbourhood handle) {
  return required(handle, "the neighbourhood").neighbourhood;
}

/// Stores a handle of the communicator that `make` returns; NULL if that communicator is not valid.
template <class Make>
void give(cuboid_communicator* to, const Make& make) {
  give(to, "the pointer to a communicator", [&] {
    Communicator made = make();
    return made.valid() ? new cuboid_communicator_s{std::move(made)} : nullptr;
  });
}

template <class Make>
void give(cuboid_request* to, const Make& make) {
  give(to, "the pointer to a request", [&] { return new cuboid_request_s{make()}; });
}

template <class Make>
void give(cuboid_plan* to, const Make& make) {
  give(to, "the pointer to a plan", [&] {
    CollectivePlan made = make();
    std::string algorithm(made.algorithm());
    return new cuboid_plan_s{std::move(made), std::move(algorithm)};
  });
}

/// type_of() throws Error(invalid_argument) if the value is not a type, reduction_of() if it is not
/// an operation.
Datatype type_of(cuboid_datatype type);
const Reduction& reduction_of(cuboid_reduction reduction);

}  // namespace cuboid::detail::c
