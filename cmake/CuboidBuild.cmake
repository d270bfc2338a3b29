# Writes OUTPUT, a header that tells what was built and how: the commit of SOURCE, the COMPILER, the HDF5 library. Run
# at every build; the file is left alone where nothing has changed.
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")  # an archive, or no git
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
  "#define CUBOID_COMMIT \"@commit@\"\n#define CUBOID_COMPILER \"@COMPILER@\"\n#define CUBOID_BUILT_FOR_HDF5 \"@HDF5@\"\n")
