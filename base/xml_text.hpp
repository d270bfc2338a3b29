#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail {

/// A line of text as it stands in XML, also within an attribute's double quotes. Control
/// characters, which XML does not have, become question marks.
std::string xml_text(std::string_view text);

}  // namespace cuboid::detail
