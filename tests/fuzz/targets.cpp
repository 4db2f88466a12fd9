#include <algorithm>

#include "tests/fuzz/resign.hpp"

namespace sparsmith::fuzz {

const std::vector<target>& targets() {
  constexpr std::size_t text = 4 << 10, archive = 16 << 10, binary = 24 << 10;
  static const std::vector<target> all = {{"matrix_market", run_matrix_market, nullptr, text},
                                          {"rutherford_boeing", run_rutherford_boeing, nullptr, text},
                                          {"edges", run_edges, nullptr, text},
                                          {"metis", run_metis, nullptr, text},
                                          {"petsc", run_petsc, nullptr, text},
                                          {"npy", run_npy, nullptr, text},
                                          {"matlab", run_matlab, mutate_matlab, text},
                                          {"gzip", run_gzip, mutate_gzip, text},
                                          {"npz", run_npz, mutate_zip, archive},
                                          {"binsparse", run_binsparse, mutate_hdf5, binary},
                                          {"matlab_hdf5", run_matlab_hdf5, mutate_hdf5, binary},
                                          {"anndata", run_anndata, mutate_hdf5, binary},
                                          {"container", run_container, mutate_hdf5, binary},
                                          {"archive", run_archive, mutate_archive, archive},
                                          {"formats", run_formats, nullptr, archive},
                                          {"conversion", run_conversion, nullptr, text},
                                          {"generator", run_generator, nullptr, 256},
                                          {"options", run_options, nullptr, 64},
                                          {"journal", run_journal, nullptr, archive},
                                          {"result_line", run_result_line, nullptr, archive}};
  return all;
}

const target& target_named(const std::string& name) {
  for (const target& one : targets())
    if (one.name == name) return one;
  std::string known;
  for (const target& one : targets()) known += std::string(" ") + one.name;
  throw std::runtime_error("no target '" + name + "'; there are:" + known);
}

}  // namespace sparsmith::fuzz
