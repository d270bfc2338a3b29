#pragma once

#include "base/text_file.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// A JSON value with the line that it stands in. So an error in its meaning can name the line, as a
/// syntax error does.
struct LocatedJson {
  using List = std::vector<LocatedJson>;
  using Members = std::vector<std::pair<std::string, LocatedJson>>;

  int line = 1;
  std::variant<std::nullptr_t, bool, double, std::string, List, Members> value = nullptr;

  /// The value if it has this kind, else nullptr.
  template <typename Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&value);
  }
};

/// Parses a JSON document. Throws Error(parse) with file and line for malformed text, a key that
/// occurs twice in an object, and nesting deeper than 16.
LocatedJson parse_located_json(const TextFile& file);

}  // namespace cuboid::detail
