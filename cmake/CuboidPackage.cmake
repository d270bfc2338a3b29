# cpack -G DEB, in a build folder: one package of all that is installed. DEBFULLNAME and DEBEMAIL name who makes it.
set(CPACK_PACKAGE_NAME cuboid)
set(CPACK_PACKAGE_VENDOR Cuboid)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION 
"Cuboid finds the torus, mesh or other network that a job's nodes form, moves
data along its lines at full bandwidth, and multiplies and factorises matrices
on it. It has a command, interfaces for C, C++, Fortran and Python, and takes
the places of MPI's collectives and of ScaLAPACK in compiled programs.")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Cuboid authors <authors@cuboid.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
# Of what is linked, as dpkg-shlibdeps finds it; the rest is loaded at run time, or compiled against.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/debian/tools.cmake)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/bindings/c)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libblis4-pthread, libopenblas0-pthread, python3:any")
if(TARGET cuboid_python)  # for this one Python
  math(EXPR next "${CUBOID_PYTHON_MINOR} + 1")
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", python3 (>= 3.${CUBOID_PYTHON_MINOR}), python3 (<< 3.${next})")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin, libopenmpi-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gfortran, python3-numpy, python3-mpi4py, gnuplot-nox")

# What Debian's policy asks for beside what is installed everywhere, and zsh's completion where Debian's zsh looks for it.
find_program(CUBOID_GZIP gzip)
if(CUBOID_GZIP)
  set(debian ${PROJECT_BINARY_DIR}/debian)
  file(READ LICENSE license)
  string(REGEX REPLACE "^[^\n]*\n\n[^\n]*\n\n" "" license "${license}")  # its title and its line of copyright
  string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
  string(STRIP "${license}" license)
  string(REPLACE "\n" "\n " license " ${license}")
  configure_file(packaging/debian/copyright.in ${debian}/share/doc/cuboid/copyright @ONLY)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  configure_file(packaging/debian/changelog.in ${debian}/share/doc/cuboid/changelog @ONLY)
  execute_process(COMMAND ${CUBOID_GZIP} -9nf ${debian}/share/doc/cuboid/changelog)
  configure_file(packaging/debian/overrides ${debian}/share/lintian/overrides/cuboid COPYONLY)
  file(MAKE_DIRECTORY ${debian}/share/zsh/vendor-completions)
  file(CREATE_LINK ../site-functions/_cuboid ${debian}/share/zsh/vendor-completions/_cuboid SYMBOLIC)
  set(CPACK_INSTALLED_DIRECTORIES ${debian} /usr)
endif()
include(CPack)
