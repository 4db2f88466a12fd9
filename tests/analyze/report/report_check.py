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

# Whether every spy plot is drawn to the edges of its picture, and its picture to about those of its card.
FULL_PICTURES = r"""(() => {
  const fills = image => {
    const {naturalWidth: width, naturalHeight: height} = image;
    const copy = Object.assign(document.createElement("canvas"), {width, height});
    const context = copy.getContext("2d", {willReadFrequently: true});
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    let left = width, right = 0, top = height, bottom = 0;
    for (let i = 0, y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x, ++i)
        if (pixels[i] !== pixels[0]) {
          if (x < left) left = x;
          if (x >= right) right = x + 1;
          if (y < top) top = y;
          bottom = y + 1;
        }
    return right - left >= .6 * width && bottom - top >= .6 * height &&
           image.clientWidth >= .6 * image.closest("picture").parentElement.clientWidth - 32;
  };
  const pictures = [...document.querySelectorAll(".spy")];
  return pictures.length > 0 && pictures.every(fills);
})()"""

if __name__ == "__main__":
    page_check.run(__doc__, widths=(1200, 390), actions=[("the switch of the bins", SWITCH_BINS),
                                                         ("fitting a spy plot into its card", FULL_PICTURES)])
