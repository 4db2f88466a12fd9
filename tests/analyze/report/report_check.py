#!/usr/bin/env python3
"""Opens a page of spanalyze in headless Chromium: python3 tests/analyze/report/report_check.py PAGE.html [SCREENSHOTS]

Wide and narrow, light and dark: no errors, nothing loaded, every chart drawn, nothing wider than the window, text with
contrast, a chart in the first screen, spy plots with text that can be read, both switches work. With a folder,
screenshots are left there. Exit 77: no Chromium.
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

# Whether the first screen has a whole chart or spy plot; of a page that compares several, a chart or a table.
FIRST_SCREEN = r"""(() => {
  scrollTo(0, 0);
  const wanted = matrices.length > 1 ? "canvas, .spy-cells, #comparison table" : "canvas, .spy-cells";
  return [...document.querySelectorAll(wanted)].some(one => one.getBoundingClientRect().bottom <= innerHeight);
})()"""

# Whether every spy plot has numbers that are text, large enough to be read, inside its card and apart from each other,
# around a picture that is not small.
SPY_TEXT = r"""(() => {
  const place = element => element.getBoundingClientRect();
  const text = element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return place(range);
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const good = plot => {
    const card = place(plot.closest(".card")), numbers = [...plot.querySelectorAll("span")];
    const places = numbers.map(text);
    const cells = place(plot.querySelector(".spy-cells"));
    const has = (kind, number) => numbers.some(one => one.className === kind && one.textContent === number);
    return has("across", "0") && has("down", "0") && numbers.every(one => /^[\d,]+$/.test(one.textContent)) &&
      parseFloat(getComputedStyle(plot).fontSize) >= 11 && Math.max(cells.width, cells.height) >= 190 &&
      places.every((one, i) => one.left >= card.left && one.right <= card.right && one.top >= card.top &&
                               one.bottom <= card.bottom && !places.slice(i + 1).some(other => meet(one, other)) &&
                               !meet(one, cells));
  };
  const plots = [...document.querySelectorAll(".spy")];
  return plots.length === matrices.length && plots.every(good);
})()"""

if __name__ == "__main__":
    page_check.run(__doc__, widths=(1280, 768, 390), actions=[("a chart in the first screen", FIRST_SCREEN),
                                                              ("the switch of the bins", SWITCH_BINS),
                                                              ("the text of a spy plot", SPY_TEXT)])
