#include "tools/common_options.hpp"

#include <fmt/format.h>

#include "convert/backend/backend.hpp"
#include "convert/error.hpp"

namespace sparsmith {

device_choice choose_device(const common_options& options) {
  set_thread_count(options.threads);
  device_choice choice;
  const auto cpu = [] {
    return fmt::format("OpenMP, {} thread{}", thread_count(), thread_count() == 1 ? "" : "s");
  };
  if (options.device == device_wish::cpu) {
    choice.note = cpu();
  } else if (find_gpu().usable) {
    choice.use_gpu = true;
    choice.note = "CUDA, " + find_gpu().description;
  } else if (options.device == device_wish::cuda) {
    throw error(failure::device, "--device cuda: " + find_gpu().description);
  } else {
    choice.note = fmt::format("{} ({})", cpu(), find_gpu().description);
  }
  return choice;
}

output_form form_of(const common_options& options, bool csv) {
  return csv               ? output_form::csv
         : options.as_json ? output_form::json
         : options.quiet   ? output_form::nothing
                           : output_form::text;
}

}  // namespace sparsmith
