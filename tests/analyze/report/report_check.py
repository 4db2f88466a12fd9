#!/usr/bin/env python3
"""Opens a page of spanalyze in headless Chromium: python3 tests/analyze/report/report_check.py PAGE.html [SCREENSHOTS]

Wide and narrow, light and dark: no errors, nothing loaded, every chart drawn, nothing wider than the window, text with
contrast, both switches work. With a folder, screenshots are left there. Exit 77: no Chromium.
"""
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
import page_check

# Whether every histogram shows the bins that its switch names, before and after a click on the other.
SWITCH_BINS = r"""(() => {
  const shows_chosen = canvas => {
    const {matrix} = canvas.dataset;
    const kind = document.querySelector(`.switch input[data-matrix="${matrix}"]:checked`).value;
    return JSON.stringify(Chart.getChart(canvas).data.labels) === JSON.stringify(matrices[matrix][kind].labels);
  };
  const histograms = [...document.querySelectorAll('canvas[data-chart="histogram"]')];
  const before = histograms.every(shows_chosen);
  const others = [...document.querySelectorAll(".switch input:not(:checked)")];
  others.forEach(input => input.click());
  return before && others.length > 0 && others.every(input => input.checked) && histograms.every(shows_chosen);
})()"""

if __name__ == "__main__":
    page_check.run(__doc__, widths=(1200, 390), actions=[("the switch of the bins", SWITCH_BINS)])
