// How often a contestant is run, and how it is warmed up before.
#pragma once

#include <algorithm>
#include <functional>

namespace sparsmith {

struct sampling_options {
  int samples = 30;                        // of every median, over all rounds
  bool warm_only = false;                  // no runs with cold caches
  bool by_warm = false;                    // warm runs decide, though there are cold ones
  double warm_up_seconds = 0.1;            // of every contestant before its first round
  std::function<bool()> interrupted = {};  // asked between samples: end with what there is

  int rounds() const { return std::min(3, samples); }
  int samples_a_round() const { return (samples + rounds() - 1) / rounds(); }
  // The first round warms up in full; later ones find the device busy and only the caches to fill. Fewer
  // samples ask for a quick look and warm up less.
  double warm_up(bool first_round) const {
    return warm_up_seconds * std::min(1.0, samples / 30.0) * (first_round ? 1.0 : 0.2);
  }
};

}  // namespace sparsmith
