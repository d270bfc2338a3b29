#pragma once

namespace cuboid {

/// Whether a triangular matrix stands left or right of what it is applied to.
enum class MatrixSide { left, right };

/// Which triangle of a matrix is meant; the other is neither read nor written.
enum class Triangle { lower, upper };

/// Whether a triangular matrix has ones on its diagonal, which is not read then.
enum class Diagonal { stored, unit };

}  // namespace cuboid
