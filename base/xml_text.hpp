#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail {

/// Text as it stands in XML and HTML, also within an attribute's double quotes. Control characters
/// but the end of a line, which XML does not have, become question marks.
std::string xml_text(std::string_view text);

}  // namespace cuboid::detail
