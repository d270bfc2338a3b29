#pragma once

#include <string>

namespace cuboid::detail::tools {

/// What was built and how. Texts are empty where nothing is known.
struct Build {
  std::string commit;    ///< of Cuboid
  std::string compiler;  ///< name and version
  std::string hdf5;      ///< the file of the HDF5 library that Cuboid was built for
};
Build build();

}  // namespace cuboid::detail::tools
