#pragma once

#include <cuboid.h>

namespace cuboid::detail {

/// Selects the form of a collective: with a request if the caller passed one, with a plan if the
/// caller passed one, else the blocking form.
struct Form {
  cuboid_request* request = nullptr;
  cuboid_plan* plan = nullptr;
};

template <class Now, class Start, class Plan, class... Arguments>
int in_form(const Form& form, Now now, Start start, Plan plan, Arguments... arguments) {
  if (form.request != nullptr) return start(arguments..., form.request);
  if (form.plan != nullptr) return plan(arguments..., form.plan);
  return now(arguments...);
}

}  // namespace cuboid::detail

/// cuboid_name, cuboid_name_start or cuboid_name_plan with these arguments.
#define CUBOID_IN_FORM(form, name, ...)                                                       \
  ::cuboid::detail::in_form(form, cuboid_##name, cuboid_##name##_start, cuboid_##name##_plan, \
                            __VA_ARGS__)
