#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail {

/// A text in the form that it needs in XML and HTML, also within an attribute's double quotes.
/// Control characters that XML does not allow, all except the end of a line, become question marks.
std::string xml_text(std::string_view text);

}  // namespace cuboid::detail
