#include "base/xml_text.hpp"

namespace cuboid::detail {

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += c; break;
      default: result += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  }
  return result;
}

}  // namespace cuboid::detail
