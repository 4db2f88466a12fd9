# Writes header FROM as users get it, to TO: what it includes of ours is <sparsmith/...>, and must be among the PUBLIC ones.
cmake_minimum_required(VERSION 3.25)
file(READ ${FROM} text)
string(REGEX MATCHALL "#include \"[^\"]+\"" ours "${text}")
foreach(line IN LISTS ours)
  string(REGEX REPLACE "#include \"(.+)\"" "\\1" included "${line}")
  if(NOT included IN_LIST PUBLIC)
    message(FATAL_ERROR "${FROM} is for users, but includes ${included}, which is not")
  endif()
endforeach()
string(REGEX REPLACE "#include \"(tools/library|convert|analyze/structure)/([^\"]+)\"" "#include <sparsmith/\\2>"
       text "${text}")
file(WRITE ${TO} "${text}")
