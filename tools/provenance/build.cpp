#include "tools/provenance/build.hpp"

#include <cuboid_build.hpp>

namespace cuboid::detail::tools {

Build build() {
  return {CUBOID_COMMIT, CUBOID_COMPILER, CUBOID_BUILT_FOR_HDF5};
}

}  // namespace cuboid::detail::tools
