#!/usr/bin/env python3
"""Opens a page of sprecommend in headless Chromium: recommend_page_check.py PAGE.html [SCREENSHOTS]

From a phone to a desk, light and dark: what holds for every page (page_check.py), and that all contestants can be
shown, that total times can be seen against CSR, and that tables sort. With a folder, screenshots are left there.
Exit 77: no Chromium.
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

# Whether the line of CSR lies at 1 once times are shown against it.
AGAINST_CSR = r"""(() => {
  const choices = [...document.querySelectorAll('.switch input[value="ratio"]')];
  return choices.length > 0 && choices.every(input => {
    const canvas = canvas_of("totals", input.dataset.matrix);
    const line = () => Chart.getChart(canvas).data.datasets
      .find((set, i) => matrices[input.dataset.matrix].totals[i]?.stays).data.map(point => point.y);
    const rises = line()[0] < line().at(-1);
    input.click();
    return rises && line().every(y => y === 1);
  });
})()"""

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
    page_check.run(__doc__, widths=(360, 800, 1400),
                   actions=[("the button for all contestants", SHOW_ALL), ("the switch of total times", AGAINST_CSR),
                            ("sorting by a heading", SORT)])
