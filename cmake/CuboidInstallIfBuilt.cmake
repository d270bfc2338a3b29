# What was not built is not installed, nor anything that belongs to it (tools/demo builds the command alone): stands ahead
# of all other install() in a folder's CMakeLists.txt, the rest of which it leaves out if the target's file is missing.
macro(cuboid_install_if_built target)
  install(CODE "if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
    message(STATUS \"Not built, so not installed: ${target}\")
    return()
  endif()")
endmacro()
