// Ten colours for rising density: the densest stands out most, whatever the background.
function ramp(i) {
  const channels = name => [1, 3, 5].map(at => parseInt(colour[name].slice(at, at + 2), 16));
  const t = i / 9 * 2;
  const [from, to] = t < 1 ? ["ramp-low", "ramp-middle"] : ["ramp-middle", "ramp-high"];
  const a = channels(from), b = channels(to), part = t < 1 ? t : t - 1;
  return "rgb(" + a.map((x, k) => Math.round(x + (b[k] - x) * part)).join(",") + ")";
}

function histogram(data, canvas) {
  const kind = document.querySelector(`input[data-matrix="${canvas.dataset.matrix}"]:checked`).value;
  const bins = data[kind];
  return {type: "bar",
    data: {labels: bins.labels, datasets: [{label: "rows", data: bins.lines.map(v => v || null),
           backgroundColor: colour.first, categoryPercentage: 1, barPercentage: .92, minBarLength: 2}]},
    options: {plugins: {legend: {display: false}, tooltip: {callbacks: {
                title: items => items[0].label + " entries per row",
                footer: items => grouped(bins.entries[items[0].dataIndex]) + " entries"}}},
              scales: {x: category("entries per row"), y: scale("rows", bins.lines, below)}}};
}

function curve(data) {
  const axis = title => ({type: "linear", min: 0, max: 100,
    title: {display: true, text: title, color: colour.muted},
    grid: {color: colour.line, borderColor: colour.line},
    ticks: {color: colour.muted, callback: v => v + " %"}});
  return {type: "scatter",
    data: {datasets: [
      {label: "this matrix", data: data.curve, showLine: true, borderColor: colour.first,
       backgroundColor: colour.first, borderWidth: 2, pointRadius: 2},
      {label: "all rows alike", data: [{x: 0, y: 0}, {x: 100, y: 100}], showLine: true,
       borderColor: colour.muted, backgroundColor: colour.muted, borderWidth: 1.5,
       borderDash: [6, 4], pointRadius: 0}]},
    options: {plugins: {legend: legend({boxWidth: 28, boxHeight: 1}), tooltip: {callbacks: {label: item =>
                rounded_percent(item.parsed.x / 100) + " of the rows, " +
                rounded_percent(item.parsed.y / 100) + " of the entries"}}},
              scales: {x: axis("rows, longest first"), y: axis("entries")}}};
}

// Lines over block sizes; sets are [label, values, colour].
function lines(axis, labels, title, sets) {
  const drawn = sets.filter(([, values]) => values.some(v => v !== null));
  return {type: "line",
    data: {labels, datasets: drawn.map(([label, data, name]) => ({label, data, borderColor: name,
           backgroundColor: name, borderWidth: 2, pointRadius: 3}))},
    options: {plugins: drawn.length > 1 ? {} : {legend: {display: false}},
              scales: {x: category(axis), y: scale(title, drawn.flatMap(([, values]) => values), below)}}};
}
const fill = data => lines("block", data.sizes, "ratio", [["places per entry", data.fill, colour.first],
                                                          ["bytes of BSR / CSR", data.bsr, colour.second]]);
const blocks = data => lines("block", data.sizes, "blocks", [["blocks", data.blocks, colour.second]]);
const betas = data => lines("β", data.betas.sides, "bytes / bytes of CSR",
  [["CSB", data.betas.csb, colour.muted], ["eCSB", data.betas.ecsb, colour.second],
   ["GCSB", data.betas.gcsb, colour.first]]);
const beta_fill = data => lines("β", data.betas.sides, "slots per entry",
  [["eCSB", data.betas.ecsb_fill, colour.second], ["GCSB", data.betas.gcsb_fill, colour.first]]);

const compared = () => matrices.slice(0, 10);
const compare_fill = () => lines("block", matrices[0].sizes, "places per entry",
                                 compared().map((data, i) => [data.name, data.fill, hue(i)]));
function compare_curves() {
  const config = curve(matrices[0]);
  config.data.datasets.splice(0, 1, ...compared().map((data, i) => ({label: data.name, data: data.curve,
    showLine: true, borderColor: hue(i), backgroundColor: hue(i), borderWidth: 2, pointRadius: 2})));
  return config;
}

function density(data) {
  const total = data.density.map(counts => counts.reduce((a, b) => a + b, 0));
  return {type: "bar",
    data: {labels: data.sizes, datasets: [...Array(10).keys()].map(i => ({
      label: `≤ ${(i + 1) * 10} %`, backgroundColor: ramp(i), borderColor: colour.card,
      borderWidth: {left: 1}, borderSkipped: false,
      data: data.density.map((counts, k) => total[k] ? 100 * counts[i] / total[k] : 0)}))},
    options: {indexAxis: "y",
      plugins: {tooltip: {callbacks: {label: item => item.dataset.label + " full: " +
        grouped(data.density[item.dataIndex][item.datasetIndex]) + " blocks, " +
        rounded_percent(item.parsed.x / 100)}}},
      scales: {y: {...category("block"), stacked: true},
               x: {stacked: true, max: 100,
                   title: {display: true, text: "share of blocks", color: colour.muted},
                   grid: {color: colour.line, borderColor: colour.line},
                   ticks: {color: colour.muted, callback: v => v + " %"}}}}};
}

// The ratio behind each bar, and a line where CSR is.
const bar_notes = {id: "bar_notes", afterDatasetsDraw(chart) {
  const {ctx, scales: {x}, chartArea: area} = chart;
  ctx.save();
  const one = x.getPixelForValue(1);
  ctx.strokeStyle = colour.text;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  ctx.moveTo(one, area.top);
  ctx.lineTo(one, area.bottom);
  ctx.stroke();
  ctx.font = "12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.setLineDash([]);
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colour.card;
  ctx.fillStyle = colour.text;
  chart.data.datasets.forEach((set, s) => chart.getDatasetMeta(s).data.forEach((bar, i) => {
    if (set.data[i] === null) return;
    const text = (set.exact[i] ? "" : "≥ ") + three_figures(set.data[i]);
    const left = bar.x < bar.base ? bar.x - 5 - ctx.measureText(text).width : bar.x + 5;
    ctx.strokeText(text, left, bar.y);
    ctx.fillText(text, left, bar.y);
  }));
  ctx.restore();
}};

function formats(data, canvas) {
  const list = data.formats, narrow = canvas.parentElement.clientWidth < 480;
  const name = f => f.parameters.length === 0 ? f.format :
    narrow ? f.format + " " + f.parameters[0] : [f.format, f.parameters.join(", ")];
  const x = scale("bytes / bytes of CSR", list.map(f => f.ratio), least => Math.min(.25, least / 3));
  // A log scale has no zero to start from: there bars start at CSR.
  const base = x.type === "logarithmic" ? {base: 1} : {};
  const set = (label, chosen, name) => ({label, backgroundColor: colour[name], ...base,
    exact: list.map(f => f.exact), data: list.map(f => chosen(f) ? f.ratio : null)});
  return {type: "bar", plugins: [bar_notes],
    data: {labels: list.map(name), datasets: [set("within the limits", f => f.allowed, "first"),
                                              set("beyond them", f => !f.allowed, "second")]},
    options: {indexAxis: "y", layout: {padding: {right: 36}},
              scales: {x: {...x, stacked: false}, y: {...category(""), title: {display: false}, stacked: true,
                                                      ticks: {color: colour.muted, autoSkip: false,
                                                              font: {size: narrow ? 10 : 11}}}}}};
}

Object.assign(kinds, {histogram, curve, density, formats, fill, blocks, betas, beta_fill, compare_curves,
                      compare_fill});

for (const input of document.querySelectorAll(".switch input"))
  input.addEventListener("change", () =>
    draw(document.querySelector(`canvas[data-chart="histogram"][data-matrix="${input.dataset.matrix}"]`)));
draw_all();
