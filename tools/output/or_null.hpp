#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// A value in a result's JSON; null where there is none.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace cuboid::detail::tools
