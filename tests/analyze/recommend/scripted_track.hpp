// A track whose conversions and samples are scripted and whose clock goes on by what they take, so that every
// rule of the tournament can be held to account without a machine.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "analyze/recommend/tournament.hpp"
#include "convert/error.hpp"

namespace sparsmith {

struct scripted_contestant {
  double seconds = 1e-3;            // of a product; A^T x takes the same where `transposed` is 0
  double transposed = 0;            //
  double one_pass = 0;              // of two products; as A x where it is 0
  std::deque<double> factors = {};  // the next samples are these many times that; then 1 again
  double single = 0;                // of the first run; 0: as every other
  double sample_seconds = 0;        // that a sample moves the clock on
  double enter_seconds = 0;         // that preparing and checking it does
  std::string not_run = {}, wrong = {};
  int fails_after = -1;  // samples after which it is wrong
};

struct scripted_variant {
  std::vector<std::pair<kernel_info, scripted_contestant>> kernels;
  double convert_seconds = 0.001;
  std::int64_t bytes = 1000;
  std::function<void()> on_store = {};  // may throw
  std::vector<double> again = {};       // seconds of converting once more
};

class scripted_track final : public track {
 public:
  std::vector<scripted_variant> variants;
  std::int64_t memory = std::int64_t{1} << 40;
  double time = 100;  // the clock's; no race begins at 0

  // What the tournament asked for, in words: "store 1", "enter 1/0 ax", "sample 1/0 ax 5", "release 1".
  std::vector<std::string> log;
  std::map<contestant_key, std::vector<double>> samples;
  std::map<std::size_t, int> stored;  // variants that are kept

  std::function<double()> clock() {
    return [this] { return time; };
  }
  int count(const std::string& text) const {
    return static_cast<int>(std::count(log.begin(), log.end(), text));
  }
  int samples_of(std::size_t variant, std::size_t kernel, operation op = operation::multiply) const {
    const auto found = samples.find({variant, kernel, op});
    return found == samples.end() ? 0 : static_cast<int>(found->second.size());
  }

  std::string choose_baseline(operation) override { return base; }
  base_times sample_baselines(int count, double) override {
    log.push_back("baselines " + std::to_string(count));
    baseline_samples += count;
    time += count * baseline_seconds;
    const std::vector<double> all(static_cast<std::size_t>(baseline_samples), 1e-3);
    const regimes both{summarize_samples(all), summarize_samples(all)};
    return {both, both};
  }
  void restart_baselines() override { baseline_samples = 0; }
  std::vector<kernel_info> kernels_for(std::size_t variant) override { return infos(variant); }

  std::vector<kernel_info> store(std::size_t variant, conversion_effort, variant_result& line) override {
    log.push_back("store " + std::to_string(variant));
    const scripted_variant& v = variants[variant];
    time += v.convert_seconds;
    if (v.on_store) v.on_store();
    line.convert_seconds = v.convert_seconds;
    line.bytes = v.bytes;
    line.slots = 1;
    line.offset_bits = 32;
    ++stored[variant];
    return infos(variant);
  }
  void release(std::size_t variant) override {
    log.push_back("release " + std::to_string(variant));
    stored.erase(variant);
  }
  std::vector<double> time_conversion(std::size_t variant, conversion_effort) override {
    log.push_back("convert again " + std::to_string(variant));
    return variants[variant].again;
  }
  bool enter(const contestant_key& key, contestant_result& line) override {
    log.push_back("enter " + in_words(key));
    const scripted_contestant& one = script(key);
    time += one.enter_seconds;
    line.not_run = one.not_run;
    line.wrong = one.wrong;
    line.single_seconds = one.single > 0 ? one.single : seconds(key);
    return one.not_run.empty() && one.wrong.empty();
  }
  bool sample(const contestant_key& key, int count, double, contestant_result& line) override {
    log.push_back("sample " + in_words(key) + " " + std::to_string(count));
    scripted_contestant& one = script(key);
    std::vector<double>& all = samples[key];
    for (int i = 0; i < count; ++i) {
      double factor = 1;
      if (!one.factors.empty()) {
        factor = one.factors.front();
        one.factors.pop_front();
      }
      all.push_back(seconds(key) * factor);
      time += one.sample_seconds;
    }
    line.time = {summarize_samples(all), summarize_samples(all)};
    if (one.fails_after >= 0 && static_cast<int>(all.size()) > one.fails_after) line.wrong = "1 of 1 outputs";
    return line.wrong.empty();
  }
  void release(const contestant_key& key) override { log.push_back("release " + in_words(key)); }
  std::int64_t available_memory() override { return memory; }

  std::string base = "csr/base";
  int baseline_samples = 0;
  double baseline_seconds = 0;  // that a sample moves the clock on

 private:
  static std::string in_words(const contestant_key& key) {
    return std::to_string(key.variant) + "/" + std::to_string(key.kernel) +
           std::array{" ax", " atx", " both", " normal"}[static_cast<std::size_t>(key.op)];
  }
  scripted_contestant& script(const contestant_key& key) {
    return variants[key.variant].kernels[key.kernel].second;
  }
  double seconds(const contestant_key& key) {
    const scripted_contestant& one = script(key);
    if (!is_plain(key.op) && one.one_pass > 0) return one.one_pass;
    return key.op == operation::transposed && one.transposed > 0 ? one.transposed : one.seconds;
  }
  std::vector<kernel_info> infos(std::size_t variant) const {
    std::vector<kernel_info> all;
    for (const auto& [info, unused] : variants[variant].kernels) all.push_back(info);
    return all;
  }
};

}  // namespace sparsmith
