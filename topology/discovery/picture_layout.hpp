#pragma once

#include <cuboid/discovery.hpp>

#include <string>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A point of a picture, in pixels; y goes down.
struct Point {
  double x = 0;
  double y = 0;
};

/// Where the nodes of a network are drawn, and in which part of the picture each cable.
///
/// A shape is drawn on its own grid: the last axis goes right, the axis before it down. With more
/// axes, such planes lie beside each other, and below them the lines along each other axis, so that
/// no cable runs across a plane:
///
///   o-o o-o    the planes of mesh:3x2x2, (0,·,·), (1,·,·), (2,·,·)
///   | | | | …
///   o-o o-o
///   o-o-o …    the lines along the first axis, (·,0,0), (·,0,1), …
///
/// A node is drawn in each part that has cables of it. Hosts stand in a row below their switch,
/// nodes without a place below everything. Rings, and networks without a shape, are circles.
class PictureLayout {
 public:
  explicit PictureLayout(const Discovery& discovery);

  static constexpr double step = 110;  ///< distance between neighbours

  struct DrawnNode {
    int node = 0;
    Point at;
  };
  struct Caption {
    std::string text;
    Point at;
  };
  const std::vector<DrawnNode>& nodes() const { return nodes_; }
  /// The coordinates that the nodes of a part have in common, to be written below it.
  const std::vector<Caption>& captions() const { return captions_; }
  /// True if lines between nodes that are no neighbours would run over others.
  bool on_grid() const { return !on_circle_; }

  /// The ends of a cable between two nodes.
  std::pair<Point, Point> ends(int from, int to) const;
  /// The ends of a cable of the shape, which may be missing.
  std::pair<Point, Point> ends(const ShapeCable& cable) const;

 private:
  /// Parts of the picture that are alike: planes along the last two axes, or lines along another.
  struct Panels {
    std::vector<int> axes;
    double top = 0;
    double width = 0;
    double height = 0;
    int columns = 1;
    int count = 1;
  };

  void add_panels(std::vector<int> axes, double width);
  int number_of(const Panels& panels, const Coordinate& coordinate) const;
  Point point(const Panels& panels, NodeIndex place) const;
  const Panels& panels_of(NodeIndex one, NodeIndex other) const;
  void place_nodes(const Discovery& discovery);
  void add_captions(const Panels& panels);
  double bottom() const;

  Shape shape_;
  bool on_circle_ = false;
  std::vector<Panels> panels_;
  std::vector<NodeIndex> place_;  ///< by node
  std::vector<Point> offset_;     ///< by node: hosts beside their switch; others where they are
  std::vector<DrawnNode> nodes_;
  std::vector<Caption> captions_;
};

}  // namespace cuboid::detail
