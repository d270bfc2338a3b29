#pragma once

/// The version of Cuboid, and the only place where it is written. Semantic versioning: before 1.0 a
/// minor version may change the interface, a patch version does not.
#define CUBOID_VERSION "0.2.0"
