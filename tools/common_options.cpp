#include "tools/common_options.hpp"

#include <fmt/format.h>

#include "convert/backend/device.hpp"
#include "convert/error.hpp"

namespace sparsmith {
namespace {

std::string cpu_note(const std::string& why_not_gpu) {
  const std::string cpu = fmt::format("OpenMP, {} thread{}", thread_count(), thread_count() == 1 ? "" : "s");
  return why_not_gpu.empty() ? cpu : fmt::format("{} ({})", cpu, why_not_gpu);
}

}  // namespace

device_choice choose_device(const common_options& options) {
  set_thread_count(options.threads);
  device_choice choice;
  if (options.device == device_wish::cpu) {
    choice.note = cpu_note("");
  } else if (find_gpu().usable) {
    choice.use_gpu = true;
    choice.may_fall_back = options.device == device_wish::automatic;
    choice.note = "CUDA, " + find_gpu().description;
  } else if (options.device == device_wish::cuda) {
    throw error(failure::device, "--device cuda: " + find_gpu().description);
  } else {
    choice.note = cpu_note(find_gpu().description);
    // A machine without a GPU lacks nothing.
    const std::string& why = find_gpu().description;
    if (has_cuda && why != missing_gpu(0, true, "") && why != missing_gpu(1, true, "")) choice.doubt = why;
  }
  return choice;
}

bool fall_back(device_choice& choice, const error& problem) {
  const bool of_the_gpu = problem.category() == failure::device || problem.quantity() == "device";
  if (!choice.may_fall_back || !of_the_gpu) return false;
  choice = {.use_gpu = false, .note = cpu_note(fmt::format("the GPU: {}", problem.what()))};
  return true;
}

output_form form_of(const common_options& options, bool csv) {
  return csv               ? output_form::csv
         : options.as_json ? output_form::json
         : options.quiet   ? output_form::nothing
                           : output_form::text;
}

}  // namespace sparsmith
