#include "tools/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "convert/error.hpp"
#include "convert/io/write.hpp"

namespace sparsmith {

int run_tool(CLI::App& app, int argc, char** argv, const std::function<void()>& body) {
  constexpr int usage_status = 2;
  const auto complain = [&](const std::string& message) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), message);
  };
  // A closed standard stream would lend its number to the next file opened, and that file would get our
  // messages.
  while (true) {
    const int descriptor = ::open("/dev/null", O_RDWR);
    if (descriptor > STDERR_FILENO || descriptor < 0) {
      if (descriptor >= 0) ::close(descriptor);
      break;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --help and --version
  } catch (const CLI::ParseError& problem) {
    complain(fmt::format("{} (see --help)", problem.what()));
    return usage_status;
  }
  try {
    remove_output_on_signals();
    body();
    if (std::fflush(stdout) != 0) throw error(failure::output, "standard output: could not write");
    return 0;
  } catch (const error& problem) {
    complain(problem.what());
    return problem.category() == failure::usage ? usage_status : 1;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
  return 1;
}

void add_common_options(CLI::App& app, common_options& options) {
  app.add_option("--device", options.device, "Where to run: auto (a GPU if there is one), cuda or cpu")
      ->check(CLI::IsMember({"auto", "cuda", "cpu"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "CPU threads; 0 means all")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_flag("--json", options.as_json, "Print the result as JSON");
  app.add_flag("--quiet", options.quiet, "Print nothing but errors (and data asked for)");
  app.set_version_flag("--version", fmt::format("{} {} ({})", app.get_name(), SPARSMITH_VERSION,
                                                has_cuda ? "OpenMP and CUDA" : "OpenMP, no CUDA"));
  // Ours are one line each; CLI11's own default would print several.
  app.get_formatter()->column_width(34);
}

device_choice choose_device(const common_options& options) {
  set_thread_count(options.threads);
  device_choice choice;
  const auto cpu = [] {
    return fmt::format("OpenMP, {} thread{}", thread_count(), thread_count() == 1 ? "" : "s");
  };
  if (options.device == "cpu") {
    choice.note = cpu();
  } else if (find_gpu().usable) {
    choice.use_gpu = true;
    choice.note = "CUDA, " + find_gpu().description;
  } else if (options.device == "cuda") {
    throw error(failure::device, "--device cuda: " + find_gpu().description);
  } else {
    choice.note = fmt::format("{} ({})", cpu(), find_gpu().description);
  }
  return choice;
}

progress_bar::progress_bar(std::string label, bool enabled)
    : label_(std::move(label)), enabled_(enabled && ::isatty(STDERR_FILENO) == 1) {
  // Short work shows no bar at all.
  next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
}

progress_bar::~progress_bar() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

progress_callback progress_bar::callback() {
  if (!enabled_) return {};
  return [this](std::int64_t done, std::int64_t total) { show(done, total); };
}

void progress_bar::show(std::int64_t done, std::int64_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  if (total <= 0) {
    fmt::print(stderr, "\r\033[K{} {}", label_, format_bytes(done));
  } else {
    constexpr int width = 30;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const int filled = static_cast<int>(share * width);
    fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {:3.0f} % of {}", label_, "", filled, "", width - filled,
               share * 100, format_bytes(total));
  }
  std::fflush(stderr);
}

}  // namespace sparsmith
