#!/usr/bin/env python3
"""Opens a page of spbatch in headless Chromium: batch_page_check.py PAGE.html [SCREENSHOTS]

From a phone to a desk, light and dark: what holds for every page (page_check.py), that it opens fast however many
matrices it has, that its table sorts, filters and turns pages, that a matrix opens with a click and with keys, and that
nothing in a name became markup; and that notes and profiles say what is there. With a folder, screenshots are left there.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analyze" / "report"))
import page_check

SECONDS = 3  # to open, on a slow machine that others use

# Whether the page, with all charts drawn, was there in time.
FAST = r"""(() => {
  const {loadEventEnd, startTime} = performance.getEntriesByType("navigation")[0];
  window.opened_in = loadEventEnd - startTime;
  return window.opened_in > 0 && window.opened_in < LIMIT;
})()""".replace("LIMIT", str(1000 * SECONDS))

# Whether nothing but the page's own elements is there, and every name of the data is shown as text.
NO_MARKUP = r"""(() => {
  const shown = [...document.querySelectorAll("#all tbody th button")].map(button => button.textContent);
  const expected = view.shown.slice(0, shown.length).map(i => batch.rows[i][at.name]);
  return document.querySelectorAll("img, iframe, object, embed, svg, b > b").length === 0 &&
    document.scripts.length === 3 && [...document.querySelectorAll("*")].every(element =>
      [...element.attributes].every(attribute => !attribute.name.startsWith("on"))) &&
    shown.length > 0 && shown.every((text, i) => text === expected[i]);
})()"""

# Whether every column sorts all rows both ways, what is missing last.
SORT = r"""(() => columns.every(column => ["ascending", "descending"].every(order => {
  column.heading.querySelector("button").click();
  const values = view.shown.map(i => batch.rows[i][at[column.field]]).map(v =>
    column.field === "repaid" && v !== null && v < 0 ? Infinity : v === "" ? null : v);
  const known = values.findIndex(v => v === null), end = known < 0 ? values.length : known;
  const before = (a, b) => typeof a === "string" ? a.localeCompare(b, "en", {numeric: true}) : a === b ? 0 : a - b;
  const sorted = values.slice(0, end).every((v, i, all) =>
    i === 0 || (order === "ascending" ? before(all[i - 1], v) <= 0 : before(all[i - 1], v) >= 0));
  return sorted && values.slice(end).every(v => v === null) && column.heading.ariaSort === order &&
    values.length === batch.rows.length &&
    document.querySelectorAll("#all tbody tr").length === Math.min(page_rows, batch.rows.length);
})))()"""

# Whether text, winner and status each choose the rows they should, and all come back.
FILTER = r"""(() => {
  const change = (field, value, event) => {
    field.value = value;
    field.dispatchEvent(new Event(event, {bubbles: true}));
  };
  const right = test => view.shown.length === batch.rows.filter(test).length;
  change(find, "SCRIPT", "input");
  const text = right(row => row[at.name].toLowerCase().includes("script"));
  change(find, "no matrix has such a name", "input");
  const none = view.shown.length === 0 && document.querySelectorAll("#all tbody tr").length === 0;
  change(find, "", "input");
  const selects = [[choose_winner, "winner"], [choose_status, "status"]].every(([select, field]) => {
    const all = [...select.options].slice(1).map(option => option.value).every(value => {
      change(select, value, "change");
      return view.shown.length > 0 && right(row => row[at[field]] === value);
    });
    change(select, "", "change");
    return all;
  });
  return text && none && selects && view.shown.length === batch.rows.length;
})()"""

# Whether the pages of the table have all rows, each once.
PAGES = r"""(() => {
  const seen = new Set(), after = document.getElementById("after"), before = document.getElementById("before");
  for (let i = 0; ; ++i) {
    for (const line of document.querySelectorAll("#all tbody tr")) seen.add(line.dataset.row);
    if (after.disabled || i > batch.rows.length) break;
    after.click();
  }
  while (!before.disabled) before.click();
  return seen.size === batch.rows.length && view.first === 0;
})()"""

# Whether a matrix of every status opens with its own figures, and closes.
DETAILS = r"""(() => {
  const statuses = [...new Set(batch.rows.map(row => row[at.status]))];
  return statuses.every(status => {
    const i = view.shown.find(i => batch.rows[i][at.status] === status), row = batch.rows[i];
    view.first = Math.floor(view.shown.indexOf(i) / page_rows) * page_rows;
    show_rows();
    document.querySelector(`#all tr[data-row="${i}"] td`).click();
    const detail = JSON.parse(batch.details[i]);
    const lines = dialog.querySelectorAll(".contestants tbody tr").length;
    const wanted = detail.variants.reduce((sum, c) => sum + Math.max(1, c[6].length / 6), 0);
    const good = dialog.open && dialog.querySelector("h2").title === row[at.name] &&
      row[at.name].endsWith(dialog.querySelector("h2").textContent) &&
      (!detail.winner || (dialog.querySelector(".sentence b").textContent === detail.winner[0] && lines === wanted)) &&
      (status !== "failed" || dialog.textContent.includes(detail.failure[3])) &&
      dialog.querySelectorAll("img, script").length === 0 && dialog.scrollWidth <= dialog.clientWidth &&
      document.activeElement.textContent === "Close";
    document.activeElement.click();
    view.first = 0;
    show_rows();
    return good && !dialog.open;
  });
})()"""

# Whether a matrix whose grid is known opens with a spy plot in the colours of the page, which has numbers around it.
SPY = r"""(() => {
  const known = batch.rows.map((row, i) => i).filter(i => JSON.parse(batch.details[i]).spy).slice(0, 3);
  return known.length > 0 && known.every(i => {
    open_row(i);
    const {spy: [rows, cols]} = JSON.parse(batch.details[i]), picture = dialog.querySelector(".spy canvas");
    const pixels = picture?.getContext("2d").getImageData(0, 0, cols, rows).data ?? [];
    const colours = new Set(), palette = batch.spy_colours[is_dark() ? "dark" : "light"];
    for (let k = 0; k < pixels.length; k += 4)
      if (pixels[k + 3]) colours.add(`rgb(${pixels[k]},${pixels[k + 1]},${pixels[k + 2]})`);
    const numbers = [...dialog.querySelectorAll(".spy span")].map(span => span.textContent);
    const {left, right} = dialog.getBoundingClientRect(), inside = [...dialog.querySelectorAll(".spy span")]
      .map(span => span.getBoundingClientRect()).every(one => one.left > left + 8 && one.right < right - 8);
    const good = inside && picture.width === cols && picture.height === rows && picture.clientWidth > 60 && colours.size > 0 &&
      [...colours].every(one => palette.includes(one)) &&
      numbers.includes(grouped(batch.rows[i][at.rows])) && numbers.includes(grouped(batch.rows[i][at.cols]));
    dialog.close();
    return good;
  });
})()"""

# Whether the notes explain columns that are there, and the page names a vendor only where there is one.
NOTES = r"""(() => {
  const titles = columns.map(column => column.title), notes = document.getElementById("notes").textContent;
  const named = notes.split(/(?<=\.) /).filter(Boolean).map(note => note.split(": ")[0]);
  const vendor = batch.rows.some(row => row[at.over_vendor] !== null);
  return named.every(name => titles.includes(name)) && (vendor || !document.body.innerText.includes("× vendor"));
})()"""

# Whether the lines of profiles are steps as fine as a screen shows, and end where the table beneath says.
PROFILES = r"""(() => [...document.querySelectorAll('canvas[data-chart="profile"]')].every(canvas => {
  const table = canvas.closest("figure").querySelector("table"), last = table.tHead.rows[0].cells.length - 2;
  const within = parseFloat(table.tHead.rows[0].cells[last].textContent);
  return Chart.getChart(canvas).data.datasets.every((set, i) => {
    const point = set.data.findLast(({x}) => x <= within * (1 + 1e-9));
    return set.data.length > 200 && set.stepped === "before" &&
      Math.abs(table.tBodies[0].rows[i].cells[last].textContent.replace(/[^\d.]/g, "") - 100 * point.y) < .11;
  });
}))()"""

# Whether a click on a point of every chart of speed-ups opens its matrix.
POINTS = r"""(() => [...document.querySelectorAll('canvas[data-chart^="over_"]')].every(canvas => {
  const chart = Chart.getChart(canvas), point = chart.data.datasets[0].data[0];
  chart.options.onClick({}, [{datasetIndex: 0, index: 0}], chart);
  const name = dialog.open && dialog.querySelector("h2").title;
  dialog.close();
  return name === batch.rows[point.i][at.name];
}))()"""


def keyboard(browser):
    """Enter on a name opens it, Escape closes it and the focus is where it was."""
    def press(key, code, text=None):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                         **({"text": text} if text and kind == "keyDown" else {}))
    browser.evaluate("document.querySelector('#all tbody button').focus()")
    press("Enter", 13, "\r")
    opened = browser.evaluate("dialog.open")
    press("Escape", 27)
    return opened and browser.evaluate(
        "!dialog.open && document.activeElement === document.querySelector('#all tbody button')")


# A dialog over the page, for the screenshots.
OPEN = "open_row(view.shown.find(i => batch.rows[i][at.winner]) ?? 0)"

if __name__ == "__main__":
    page_check.run(__doc__, widths=(360, 800, 1280), actions=[
        ("opening within %g s" % SECONDS, FAST), ("showing names as text", NO_MARKUP), ("turning pages", PAGES),
        ("sorting by a heading", SORT), ("filtering", FILTER), ("opening a matrix", DETAILS),
        ("the spy plot of a matrix", SPY), ("explaining columns", NOTES), ("drawing profiles", PROFILES),
        ("opening with keys", keyboard), ("opening from a point", POINTS)],
        after=[("detail", OPEN, "dialog.close()")], tell="`opened in ${Math.round(opened_in)} ms`")
