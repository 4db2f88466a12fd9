"use strict";
const matrices = JSON.parse(document.getElementById("chart-data").textContent);
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const is_dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
const compact = new Intl.NumberFormat("en", {notation: "compact", maximumSignificantDigits: 3});

// Numbers in words by the rules of convert/words.hpp, for what charts show on demand: three figures for what was
// measured, one decimal for shares, the unit that suits.
const grouped = v => v.toLocaleString("en", {maximumFractionDigits: 0});
const three_figures = v => v < 99.95 ? v.toFixed(v < 9.995 ? 2 : 1) : grouped(v);
const unit_for = seconds => seconds < 999.5e-6 ? {factor: 1e6, name: "µs"} :
  seconds < 999.5e-3 ? {factor: 1e3, name: "ms"} : {factor: 1, name: "s"};
function time_text(seconds) {
  const unit = unit_for(seconds);
  return three_figures(seconds * unit.factor) + " " + unit.name;
}
function rounded_percent(share) {
  const text = (100 * share).toFixed(1);
  return (share < 1 && text === "100.0" ? "> 99.9" : text) + " %";
}
function bytes_text(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  for (; bytes >= (unit === 0 ? 1024 : 1023.95) && unit + 1 < units.length; ++unit) bytes /= 1024;
  return (unit === 0 ? bytes : bytes.toFixed(1)) + " " + units[unit];
}
const products_text = v => v < 0 ? "never" : v === 0 ? "at once" : grouped(Math.ceil(v * (1 - 1e-9)));

let colour = {};

function read_colours() {
  const style = getComputedStyle(root);
  for (const name of ["card", "text", "muted", "line", "first", "second",
                      "ramp-low", "ramp-middle", "ramp-high"])
    colour[name] = style.getPropertyValue("--" + name).trim();
}

function axis_of(title) {
  return {title: {display: true, text: title, color: colour.muted},
          grid: {color: colour.line, borderColor: colour.line},
          ticks: {color: colour.muted, maxRotation: 0, callback: v => compact.format(v)}};
}

// A log scale with words and lines at the powers of ten alone.
function decades(title, words = compact.format) {
  const axis = axis_of(title + " (log scale)");
  const shown = v => {
    const digit = v / 10 ** Math.floor(Math.log10(v) + 1e-9);
    return Math.abs(digit - 1) < 1e-6 ? words(v) : "";
  };
  return {...axis, type: "logarithmic", ticks: {...axis.ticks, autoSkip: false, callback: shown},
          grid: {...axis.grid, color: context => shown(context.tick.value) ? colour.line : "transparent"}};
}

// A log scale where the numbers differ so much that the small ones could not be seen.
function scale(title, values, floor) {
  const positive = values.filter(v => v > 0);
  const most = Math.max(...positive), least = Math.min(...positive);
  return most / least > 50 ? {...decades(title), min: floor(least)} : {...axis_of(title), beginAtZero: true};
}
const below = least => 10 ** Math.floor(Math.log10(least)) / 2;

// A log scale with words at these numbers.
function log_axis(title, values, words) {
  const axis = axis_of(title);
  return {...axis, type: "logarithmic", ticks: {...axis.ticks, autoSkip: false, callback: words},
          afterBuildTicks: scale => {
            scale.ticks = values.filter(v => v >= scale.min && v <= scale.max).map(value => ({value}));
          }};
}
// As many as have room, whatever the ratios span.
function ratio_marks(least, most) {
  const span = most / least;
  if (span < 1.3) return [.8, .85, .9, .95, 1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3];
  if (span < 4) return [.3, .4, .5, .6, .7, .8, .9, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4];
  const ones = span < 100 ? [1, 2, 5] : [1];
  const powers = [-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8];
  return powers.flatMap(power => ones.map(digit => Number(`${digit}e${power}`)));
}
const ratio_text = v => (v < 1000 ? v : compact.format(v)) + " ×";

function legend(box) {
  return {position: "bottom", labels: {color: colour.text, ...box}};
}

function category(title) {
  return {title: {display: true, text: title, color: colour.muted}, grid: {display: false},
          ticks: {color: colour.muted, maxRotation: 60}};
}

// Ten hues that can be told apart on either background.
const tone = degrees => `hsl(${degrees} 65% ${is_dark() ? 65 : 42}%)`;
const hue = i => tone([215, 25, 160, 330, 265, 95, 190, 0, 45, 295][i]);

// What draws each kind of chart, from a matrix's data and its canvas; the page's own script fills this in.
const kinds = {};

function draw(canvas) {
  Chart.getChart(canvas)?.destroy();
  const config = kinds[canvas.dataset.chart](matrices[canvas.dataset.matrix], canvas);
  Object.assign(config.options,
                {responsive: true, maintainAspectRatio: false, animation: false, locale: "en"});
  config.options.plugins ??= {};
  config.options.plugins.legend ??= legend({boxWidth: 14});
  new Chart(canvas, config);
}

function draw_all() {
  const dark = is_dark();
  read_colours();
  document.getElementById("theme").textContent = dark ? "Light colours" : "Dark colours";
  for (const source of document.querySelectorAll(".dark-picture")) source.media = dark ? "all" : "not all";
  document.querySelectorAll("canvas[data-chart]").forEach(draw);
}

// Tables wider than their place say so, while they are.
const sideways = new WeakMap();
function tell_more(place) {
  const {scrollLeft: left, clientWidth: width} = place, table = place.querySelector("table");
  const before = left > 1, after = place.scrollWidth - width - left > 1;
  place.toggleAttribute("data-before", before);
  place.toggleAttribute("data-after", after);
  const line = sideways.get(place);
  line.hidden = !before && !after;
  if (line.hidden) return;
  // The first column stays where it is and covers what passes beneath it.
  const {left: start, right: end} = place.getBoundingClientRect(), cells = [...(table.rows[0]?.cells ?? [])];
  const edge = cells[0].getBoundingClientRect().right;
  const beyond = cells.filter(cell => cell.getBoundingClientRect().right > end + 1).length;
  const covered = cells.slice(1).filter(cell => cell.getBoundingClientRect().left < Math.max(start, edge) - 1).length;
  const columns = count => count + " more column" + (count === 1 ? "" : "s");
  line.textContent = [before ? "← " + columns(covered) : "", after ? columns(beyond) + " →" : ""].filter(Boolean).join(" · ");
}
const sizes = new ResizeObserver(entries => {
  for (const place of new Set(entries.map(entry => entry.target.closest(".scroll")))) tell_more(place);
});
function watch_tables(part) {
  for (const place of part.querySelectorAll(".scroll")) {
    const line = document.createElement("p");
    line.className = "sideways";
    line.hidden = true;
    line.ariaHidden = "true";
    place.after(line);
    sideways.set(place, line);
    place.addEventListener("scroll", () => tell_more(place), {passive: true});
    for (const element of [place, ...place.children]) sizes.observe(element);
  }
}
watch_tables(document);

document.getElementById("theme").addEventListener("click", () => {
  root.dataset.theme = is_dark() ? "light" : "dark";
  draw_all();
});
system.addEventListener("change", draw_all);
