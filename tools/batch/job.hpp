// What is asked of every matrix of a batch, and what makes a result the answer to it.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "kernels/kernel_info.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

struct batch_options {
  bool analyze = true, recommend = true, predict = false;
  std::array<double, 2> mix = {1, 1};  // weights of A x and A^T x
  std::optional<operation> one_pass;   // `both` or `normal` where the two come together
  bool warm = false;                   // whether runs with warm caches decide
  std::optional<bool> single_values;   // else as in the file
  double budget = 0;                   // seconds; 0: by the number of entries
  int threads = 0;                     // that products run on; 0: all
  std::string backend = "openmp";      // or "cuda": where the worker is to run

  // Whether times are taken, which nothing else may disturb.
  bool measures() const { return recommend && !predict; }
};

// As they stand in a result.
json options_as_json(const batch_options& options);
batch_options options_from_json(const json& options);

// 32 digits of SHA-256: the same for the same content and the same options, whatever the file is called.
std::string key_of(const std::string& content, const json& options);

}  // namespace sparsmith
