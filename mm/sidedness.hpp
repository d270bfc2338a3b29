#pragma once

namespace cuboid {

/// How ranks get what they lack of A and B: by collectives in which all take part, or from each
/// other's memory without the other's help.
enum class Sidedness { two_sided, one_sided };

}  // namespace cuboid
