#include "mm/files/matrix_path.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace matrix_path_test {

TEST(MatrixPath, DatasetsComeAfterTheColonOfAnHdf5File) {
  struct Case {
    const char *path, *file, *dataset;
    bool is_hdf5;
  };
  for (const auto& [path, file, dataset, is_hdf5] :
       {Case{"a.h5:/g/A", "a.h5", "/g/A", true}, Case{"a.hdf5:A", "a.hdf5", "/A", true},
        Case{"a.h5", "a.h5", "", true}, Case{"a.h5:", "a.h5", "/", true},
        Case{"a.npy", "a.npy", "", false}, Case{"a:b.npy", "a:b.npy", "", false},
        Case{"x:y/a.h5:/A:B", "x:y/a.h5", "/A:B", true},
        Case{"a.h5.npy:/A", "a.h5.npy:/A", "", false}, Case{"", "", "", false}}) {
    const MatrixPath parts = MatrixPath::of(path);
    EXPECT_EQ(parts.file, file) << path;
    EXPECT_EQ(parts.dataset, dataset) << path;
    EXPECT_EQ(parts.is_hdf5(), is_hdf5) << path;
  }
}

}  // namespace matrix_path_test
}  // namespace cuboid::detail
