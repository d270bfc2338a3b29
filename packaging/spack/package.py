import os

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before Spack 1.0 they are in spack.package
    pass


class Cuboid(CMakePackage):
    """Collectives and matrix multiplication that know the network.

    From a clone: copy this file to a repository of yours as packages/cuboid/package.py, then
    `spack install cuboid@main` in the clone's root builds its branch main, `cuboid@0.3.0` its tag
    v0.3.0, and `spack dev-build cuboid@main` what stands there.
    """

    git = f"file://{os.getcwd()}"

    version("main", branch="main")
    version("0.3.0", tag="v0.3.0")

    variant("tools", default=True, description="The cuboid command")
    variant("bindings", default=True, description="C, Fortran, Python, the drop-ins")
    variant("python", default=False, when="+bindings", description="The Python package")
    variant("hdf5", default=True, description="Matrices in .h5 files")
    variant("ucx", default=True, description="Messages over UCX; without it, over MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+bindings")

    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.7:", type="build")
    depends_on("ucx@1.13:", when="+ucx")
    depends_on("mpi")
    depends_on("hwloc@2.4:")
    depends_on("libnl")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("cli11@2.1:", type="build", when="+tools")
    # Loaded at run time.
    depends_on("blis@0.9: threads=pthreads +cblas", type=("build", "run"))
    depends_on("openblas", type=("build", "run"))
    depends_on("hdf5@1.10.7:", when="+hdf5")
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy@1.22:", type=("build", "run"))
        depends_on("py-mpi4py@3.1:", type="run")

    generator("ninja")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("CUBOID_BUILD_TESTS", self.run_tests),
            self.define_from_variant("CUBOID_BUILD_TOOLS", "tools"),
            self.define_from_variant("CUBOID_BUILD_BINDINGS", "bindings"),
            self.define_from_variant("CUBOID_UCX", "ucx"),
            self.define_from_variant("CUBOID_HDF5", "hdf5"),
            self.define("CUBOID_WARNINGS_ARE_ERRORS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CUBOID_BLAS_LIBRARY", spec["blis"].libs[0]),
            self.define("CUBOID_LAPACK_LIBRARY", spec["openblas"].libs[0]),
        ]
        if spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", python.path))
            args.append(self.define("CUBOID_PYTHON_DIRECTORY", python_platlib))
        return args
