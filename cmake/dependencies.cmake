# Where the libraries come from: an installed package first, then what the set-up put into .deps/, then, only where
# asked with -DSPARSMITH_FETCH=ON, a release fetched by FetchContent. Nothing is downloaded unasked.
include(FetchContent)
set(SPARSMITH_DEPS ${PROJECT_SOURCE_DIR}/.deps CACHE PATH "What no distribution packages, put there by `make setup`")

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)  # spbatch knows matrices by their SHA-256
find_package(HDF5 REQUIRED COMPONENTS C)

function(sparsmith_require name tag url)
  find_package(${name} CONFIG QUIET)
  if(${name}_FOUND)
    message(STATUS "Dependency ${name}: ${${name}_VERSION}")
  elseif(SPARSMITH_FETCH)
    message(STATUS "Dependency ${name}: fetching ${tag}")
    FetchContent_Declare(${name} GIT_REPOSITORY ${url} GIT_TAG ${tag} GIT_SHALLOW ON)
    FetchContent_MakeAvailable(${name})
  else()
    message(FATAL_ERROR "${name} was not found. Run `make setup`, install it, or configure with -DSPARSMITH_FETCH=ON.")
  endif()
endfunction()

sparsmith_require(fmt 10.2.1 https://github.com/fmtlib/fmt)
sparsmith_require(nlohmann_json v3.11.3 https://github.com/nlohmann/json)
sparsmith_require(CLI11 v2.4.2 https://github.com/CLIUtils/CLI11)

# The vendor's products on a GPU: the toolkit's cuSPARSE, or a newer one, such as nvidia-cusparse from PyPI has.
set(SPARSMITH_CUSPARSE_ROOT "" CACHE PATH "A folder with include/cusparse.h and lib/libcusparse.so.12, instead of the toolkit's")
if(SPARSMITH_HAS_CUDA)
  if(SPARSMITH_CUSPARSE_ROOT)
    # Not kept in the cache: another folder may be named.
    find_path(SPARSMITH_CUSPARSE_INCLUDE cusparse.h PATHS ${SPARSMITH_CUSPARSE_ROOT}/include NO_DEFAULT_PATH NO_CACHE
              REQUIRED)
    find_library(SPARSMITH_CUSPARSE NAMES libcusparse.so libcusparse.so.12 PATHS ${SPARSMITH_CUSPARSE_ROOT}
                 PATH_SUFFIXES lib lib64 NO_DEFAULT_PATH NO_CACHE REQUIRED)
  else()
    set(SPARSMITH_CUSPARSE CUDA::cusparse)
  endif()
  find_file(cusparse_header cusparse.h PATHS ${SPARSMITH_CUSPARSE_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH
            NO_CACHE REQUIRED)
  set(cusparse_version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${cusparse_header} line REGEX "#define CUSPARSE_VER_${part} ")
    string(REGEX REPLACE "[^0-9]" "" number "${line}")
    list(APPEND cusparse_version ${number})
  endforeach()
  list(JOIN cusparse_version "." cusparse_version)
  message(STATUS "Dependency cuSPARSE: ${cusparse_version}")
endif()

# The vendor's products on a CPU, where MKL is installed: Intel's own packages (MKLROOT), a distribution's, or pip's
# `mkl-devel`, whose prefix is named by MKL_ROOT. One library, libmkl_rt, which loads the others.
set(SPARSMITH_MKL AUTO CACHE STRING "MKL's products: AUTO (where it is found), ON or OFF")
if(NOT SPARSMITH_MKL STREQUAL "AUTO" AND NOT SPARSMITH_MKL)
  message(STATUS "Dependency MKL: left out, as asked (SPARSMITH_MKL=OFF)")
else()
  set(mkl_places HINTS ${MKL_ROOT} ENV MKLROOT ENV MKL_ROOT
                 PATHS /opt/intel/oneapi/mkl/latest /usr/local /usr)
  find_path(SPARSMITH_MKL_INCLUDE mkl_spblas.h ${mkl_places} PATH_SUFFIXES include include/mkl)
  find_library(SPARSMITH_MKL_LIBRARY NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2 ${mkl_places}
               PATH_SUFFIXES lib lib/intel64)
  if(SPARSMITH_MKL_INCLUDE AND SPARSMITH_MKL_LIBRARY)
    message(STATUS "Dependency MKL: ${SPARSMITH_MKL_LIBRARY}")
    add_library(sparsmith_mkl INTERFACE)
    target_include_directories(sparsmith_mkl SYSTEM INTERFACE ${SPARSMITH_MKL_INCLUDE})
    target_link_libraries(sparsmith_mkl INTERFACE ${SPARSMITH_MKL_LIBRARY})
  elseif(NOT SPARSMITH_MKL STREQUAL "AUTO")
    message(FATAL_ERROR "SPARSMITH_MKL=ON, but mkl_spblas.h and libmkl_rt were not found; MKLROOT names their folder")
  else()
    message(STATUS "Dependency MKL: not found; on a CPU no vendor's products take part")
  endif()
endif()

# libarchive reads .tar.gz, .zip, .xz, .zst and .bz2; zlib alone reads plain .gz.
find_package(LibArchive QUIET)
if(LibArchive_FOUND)
  message(STATUS "Dependency LibArchive: ${LibArchive_VERSION}")
else()
  message(STATUS "Dependency LibArchive: not found; .tar, .tar.gz, .zip, .xz, .zst and .bz2 are left out, .gz is read")
endif()

# fast_matrix_market parses with fast_float (headers only). Its formatters are left out: std::to_chars writes the same
# shortest digits without adding libraries to ours.
set(FMM_USE_DRAGONBOX OFF CACHE INTERNAL "")
set(FMM_USE_RYU OFF CACHE INTERNAL "")
find_package(fast_matrix_market CONFIG QUIET)
if(NOT fast_matrix_market_FOUND)
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)  # its own dependencies still name versions that CMake 4 refuses
  set(CMAKE_MESSAGE_LOG_LEVEL_BEFORE ${CMAKE_MESSAGE_LOG_LEVEL})
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  if(EXISTS ${SPARSMITH_DEPS}/fast_matrix_market/CMakeLists.txt)
    add_subdirectory(${SPARSMITH_DEPS}/fast_matrix_market ${PROJECT_BINARY_DIR}/_deps/fast_matrix_market
                     EXCLUDE_FROM_ALL SYSTEM)
    set(SPARSMITH_FMM_FROM ".deps")
  elseif(SPARSMITH_FETCH)
    FetchContent_Declare(fast_matrix_market GIT_REPOSITORY https://github.com/alugowski/fast_matrix_market
                         GIT_TAG v1.7.6 GIT_SHALLOW ON)
    FetchContent_GetProperties(fast_matrix_market)
    if(NOT fast_matrix_market_POPULATED)
      FetchContent_Populate(fast_matrix_market)
      add_subdirectory(${fast_matrix_market_SOURCE_DIR} ${fast_matrix_market_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
    endif()
    set(SPARSMITH_FMM_FROM "fetched")
  else()
    message(FATAL_ERROR "fast_matrix_market was found neither installed nor in ${SPARSMITH_DEPS}. Run `make setup`, copy "
                        ".deps/ from another machine, or configure with -DSPARSMITH_FETCH=ON.")
  endif()
  set(CMAKE_MESSAGE_LOG_LEVEL ${CMAKE_MESSAGE_LOG_LEVEL_BEFORE})
  message(STATUS "Dependency fast_matrix_market: ${SPARSMITH_FMM_FROM}")
endif()

# Thrust's headers: from the CUDA toolkit, else from .deps/ (they compile for OpenMP with g++ alone).
add_library(sparsmith_thrust_openmp INTERFACE)
# A build without CUDA takes them from a toolkit too, wherever its compiler is.
find_program(SPARSMITH_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
set(nvcc_include "")
if(SPARSMITH_NVCC)
  get_filename_component(nvcc_folder ${SPARSMITH_NVCC} REALPATH)
  get_filename_component(nvcc_folder ${nvcc_folder} DIRECTORY)
  set(nvcc_include ${nvcc_folder}/../include)
endif()
find_path(SPARSMITH_CCCL_INCLUDE thrust/version.h
          HINTS ${CUDAToolkit_INCLUDE_DIRS} ${SPARSMITH_DEPS}/cccl/include ${nvcc_include} PATHS /usr/local/cuda/include
          PATH_SUFFIXES cccl)
if(SPARSMITH_CCCL_INCLUDE)
  message(STATUS "Dependency CCCL (Thrust): ${SPARSMITH_CCCL_INCLUDE}")
elseif(SPARSMITH_FETCH)
  FetchContent_Declare(cccl GIT_REPOSITORY https://github.com/NVIDIA/cccl GIT_TAG v3.0.1 GIT_SHALLOW ON)
  FetchContent_GetProperties(cccl)
  if(NOT cccl_POPULATED)
    FetchContent_Populate(cccl)
  endif()
  set(SPARSMITH_CCCL_INCLUDE ${cccl_SOURCE_DIR}/thrust ${cccl_SOURCE_DIR}/cub ${cccl_SOURCE_DIR}/libcudacxx/include)
else()
  message(FATAL_ERROR "Thrust's headers were found neither in a CUDA toolkit nor in ${SPARSMITH_DEPS}. Run `make setup`, "
                      "copy .deps/ from another machine, or configure with -DSPARSMITH_FETCH=ON.")
endif()
# For g++ only: nvcc brings its own headers, and there Thrust's device is CUDA.
target_include_directories(sparsmith_thrust_openmp SYSTEM INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:${SPARSMITH_CCCL_INCLUDE}>)
target_compile_definitions(sparsmith_thrust_openmp INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:THRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP>
  $<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_OMP>)
target_link_libraries(sparsmith_thrust_openmp INTERFACE OpenMP::OpenMP_CXX)
