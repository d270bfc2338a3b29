#pragma once

#include <cuboid/discovery.hpp>

#include <string>
#include <vector>

namespace cuboid::detail {

/// What one direction of a cable carried.
struct LinkTraffic {
  double bytes = 0;
  bool up = true;  ///< false: the cable is down
};

/// What all links of a network carried in some time.
struct NetworkTraffic {
  double seconds = 0;
  std::vector<LinkTraffic> of_link;  ///< by the network's links
};

/// Draws a discovery as an SVG document, as PictureLayout lays it out: nodes with their names,
/// ranks in the tooltips. Without traffic the colour of a cable shows its rate; missing cables are
/// dashed. With traffic every cable is two lines, one per direction, which keep to the right; their
/// colour shows how busy they were: bytes / (rate · seconds), the same in all pictures; cables that
/// are down are dashed.
/// @param title  above the picture; if empty, what the network is.
std::string draw_svg(const Discovery& discovery, const std::string& title = "",
                     const NetworkTraffic* traffic = nullptr);

}  // namespace cuboid::detail
