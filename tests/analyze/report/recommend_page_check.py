#!/usr/bin/env python3
"""Opens a page of sprecommend in headless Chromium: recommend_page_check.py PAGE.html [SCREENSHOTS]

From a phone to a desk, light and dark: what holds for every page (page_check.py), and that all contestants can be
shown, that total times are seen against CSR, that no name in a chart covers another, that all columns of the results
fit a desk, and that tables sort. With a folder, screenshots are left there. Exit 77: no Chromium.
"""
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
import page_check

# Whether a chart with too many bars has a button, which adds them to it and takes them away again.
SHOW_ALL = r"""(() => {
  const buttons = [...document.querySelectorAll(".more button")];
  const long = matrices.flatMap(data => [data.times_multiply, data.times_transposed]).filter(list => list.length > 20);
  return buttons.length === long.length && buttons.every(button => {
    const {more, matrix} = button.dataset, canvas = canvas_of(more, matrix);
    const bars = () => Chart.getChart(canvas).data.labels.length;
    const before = bars(), height = canvas.clientHeight;
    button.click();
    const all = bars(), grown = canvas.clientHeight > height;
    button.click();
    return before === 20 && all === matrices[matrix][more].length && all > before && grown && bars() === before;
  });
})()"""

# Whether the line of CSR lies at 1 as the page opens, and rises once times are shown in seconds.
AGAINST_CSR = r"""(() => {
  const choices = [...document.querySelectorAll('.switch input[value="seconds"]')];
  return choices.length > 0 && choices.every(input => {
    const canvas = canvas_of("totals", input.dataset.matrix);
    const line = () => Chart.getChart(canvas).data.datasets
      .find((set, i) => matrices[input.dataset.matrix].totals[i]?.stays).data.map(point => point.y);
    const level = line().every(y => y === 1);
    input.click();
    return level && line()[0] < line().at(-1);
  });
})()"""

# Whether names and numbers inside the charts of trade-offs cover neither each other nor a point, and the recommended
# format is named: what is written is caught on its way to the canvas.
NAMES = r"""(() => {
  const canvases = [...document.querySelectorAll('canvas[data-chart="bytes"], canvas[data-chart="totals"]')];
  return canvases.length > 0 && canvases.every(canvas => {
    const chart = Chart.getChart(canvas), {ctx, chartArea: area} = chart, written = [];
    ctx.fillText = function (text, x, y) {
      const width = ctx.measureText(text).width;
      if (ctx.textAlign !== "start" && ctx.textAlign !== "left" || x < area.left || y > area.bottom || y < area.top) return;
      written.push({text, left: x, right: x + width, top: y - 6, bottom: y + 6});
    };
    chart.draw();
    delete ctx.fillText;
    const points = chart.data.datasets.flatMap((set, s) => chart.getDatasetMeta(s).data)
      .filter(point => point.options.radius > 0).map(({x, y, options: {radius}}) =>
        ({left: x - radius, right: x + radius, top: y - radius, bottom: y + radius}));
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const winner = matrices[canvas.dataset.matrix].bytes.find(p => p.role === "winner");
    const axes = Object.values(chart.scales).every(({min, max}) => min > 0 && (canvas.dataset.chart !== "bytes" || max > 1.08 * min));
    return axes && written.every((one, i) => !points.some(point => meet(one, point)) &&
                                     !written.slice(i + 1).some(other => meet(one, other))) &&
      (canvas.dataset.chart !== "bytes" || !winner || written.some(({text}) => text === plain(winner.format)));
  });
})()"""

# Whether all columns of the results are seen without scrolling, on a desk.
FITS_A_DESK = r"""[...document.querySelectorAll(".results .scroll")].every(place =>
  innerWidth < 1280 || place.scrollWidth <= place.clientWidth)"""

# Whether every column of every table sorts both ways, and keeps all rows.
SORT = r"""(() => {
  const tables = [...document.querySelectorAll(".sorted table")];
  return tables.length > 0 && tables.every(table => {
    const rows = table.tBodies[0].rows.length;
    return [...table.tHead.rows[0].cells].every((heading, column) => ["ascending", "descending"].every(order => {
      heading.querySelector("button").click();
      const values = [...table.tBodies[0].rows].map(row => row.cells[column].querySelector("data"))
        .filter(Boolean).map(data => Number(data.value));
      const sorted = values.every((v, i) => i === 0 || v === values[i - 1] ||
                                            (v > values[i - 1]) === (order === "ascending"));
      return sorted && heading.ariaSort === order && table.tBodies[0].rows.length === rows;
    }));
  });
})()"""

if __name__ == "__main__":
    page_check.run(__doc__, widths=(360, 800, 1280),
                   actions=[("naming points", NAMES), ("fitting the results to a desk", FITS_A_DESK),
                            ("the button for all contestants", SHOW_ALL), ("the switch of total times", AGAINST_CSR),
                            ("naming points against seconds", NAMES), ("sorting by a heading", SORT)])
