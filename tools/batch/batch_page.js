const batch = matrices[0], charts_data = batch.charts;
const at = Object.fromEntries(batch.fields.map((name, i) => [name, i]));

// ---- words of numbers, beside those all pages share ----
const us_text = us => time_text(us / 1e6);
const short = v => Number(v.toPrecision(4)).toLocaleString("en", {maximumSignificantDigits: 4});

// ---- charts ----
// A format has its colour in every chart; CSR and the vendor, which the others are compared with, have the
// strong ones.
function shade(name) {
  const format = name.replace(/[ ,].*/, "");
  if (format === "predicted") return colour.first;
  if (name === "vendor") return colour.second;
  const degrees = batch.hues[format];
  return degrees === undefined ? colour.muted : degrees === null ? colour.text : tone(degrees);
}
const is_vendor = name => name.endsWith("vendor") || name.endsWith("(vendor)");

const factor_marks = [1, 1.5, 2, 3, 5, 10];
const share_axis = title => ({...axis_of(title), min: 0, max: 1,
  ticks: {...axis_of("").ticks, callback: v => Math.round(100 * v) + " %"}});

function winners() {
  const list = charts_data.winners, predicted = list.some(one => one[2] > 0);
  const set = (label, i, part) => ({label, data: list.map(one => one[i]), borderWidth: 1, maxBarThickness: 32,
    borderColor: list.map(one => shade(one[0])),
    backgroundColor: list.map(one => part || is_vendor(one[0]) ? "transparent" : shade(one[0]))});
  const sets = [set("measured", 1, false)];
  if (predicted) sets.push(set("predicted", 2, true));
  return {type: "bar", data: {labels: list.map(one => one[0]), datasets: sets},
    options: {indexAxis: "y", plugins: {legend: {display: false}},
      scales: {x: {...axis_of("matrices"), stacked: true, beginAtZero: true,
                   ticks: {...axis_of("").ticks, precision: 0}},
               y: {...category(""), title: {display: false}, stacked: true,
                   ticks: {autoSkip: false, color: colour.text}}}}};
}

// Shares at factors from 1 to 10, evenly on a log scale.
function shares(lines) {
  return {type: "scatter", data: {datasets: lines.map(({name, shares, dash}) => ({
      label: name, showLine: true, stepped: "before", borderColor: shade(name),
      data: shares.map((y, i) => ({x: 10 ** (i / (shares.length - 1)), y})), backgroundColor: shade(name), pointRadius: 0, pointHoverRadius: 3, pointHitRadius: 4,
      borderWidth: name === "csr" || is_vendor(name) || lines.length < 3 ? 3 : 2,
      borderDash: dash || is_vendor(name) ? [6, 4] : []}))},
    options: {interaction: {mode: "index", axis: "x", intersect: false},
      plugins: {legend: legend({boxWidth: 26, boxHeight: 1}),
        tooltip: {itemSort: (a, b) => b.parsed.y - a.parsed.y, callbacks: {
          title: items => "within " + three_figures(items[0].parsed.x) + " × of the best",
          label: item => item.dataset.label + ": " + rounded_percent(item.parsed.y)}}},
      scales: {x: {...log_axis("times the best (log scale)", factor_marks, v => v + " ×"), min: 1, max: 10},
               y: share_axis("share of matrices")}}};
}
const profile = () => shares(charts_data.profiles);
function prediction() {
  const csr = charts_data.profiles.find(one => one.name === "csr");
  return shares([charts_data.prediction, ...(csr ? [{...csr, name: "csr, ours, always", dash: true}] : [])]);
}

function speedups(field) {
  const groups = new Map();
  batch.rows.forEach((row, i) => {
    const y = row[at[field]], x = row[at.entries];
    if (y === null || !(x > 0) || !["measured", "so far", "busy machine"].includes(row[at.status])) return;
    const name = row[at.winner];
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push({x, y, i});
  });
  const order = charts_data.winners.map(one => one[0]).filter(name => groups.has(name));
  const all = [...groups.values()].flat();
  const least = Math.min(1, ...all.map(p => p.y)), most = Math.max(1, ...all.map(p => p.y));
  const most_entries = Math.max(...all.map(p => p.x)), least_entries = Math.min(...all.map(p => p.x));
  const one = {label: "as fast", data: [{x: least_entries / 1.5, y: 1}, {x: most_entries * 1.5, y: 1}],
               showLine: true, pointRadius: 0, pointHitRadius: 0, borderColor: colour.muted, borderWidth: 1.5,
               borderDash: [4, 3], backgroundColor: colour.muted, pointStyle: "line", order: 2};
  return {type: "scatter", data: {datasets: [...order.map(name => ({
      label: name, data: groups.get(name), backgroundColor: is_vendor(name) ? "transparent" : shade(name),
      borderColor: shade(name), borderWidth: is_vendor(name) ? 1.5 : 0, order: 1,
      pointRadius: all.length > 500 ? 2.5 : 4, pointHoverRadius: 6,
      pointStyle: is_vendor(name) ? "triangle" : "circle"})), one]},
    options: {
      onClick: (event, items, chart) => {
        const point = items[0] && chart.data.datasets[items[0].datasetIndex].data[items[0].index];
        if (point?.i !== undefined) open_row(point.i);
      },
      plugins: {legend: legend({usePointStyle: true, boxWidth: 10}), tooltip: {callbacks: {
        label: ({raw, dataset}) => raw.i === undefined ? "" : [batch.rows[raw.i][at.name],
          `${dataset.label}: ${three_figures(raw.y)} ×, ${grouped(raw.x)} entries`]}}},
      scales: {x: {...decades("entries"), min: least_entries / 1.5, max: most_entries * 1.5},
               y: {...log_axis("times as fast (log scale)", ratio_marks(least, most), ratio_text),
                   min: least / 1.1, max: most * 1.1}}}};
}

const medians = {id: "medians", afterDatasetsDraw(chart) {
  const {ctx, scales: {x}} = chart;
  ctx.save();
  chart.getDatasetMeta(0).data.forEach((bar, i) => {
    const at_median = x.getPixelForValue(charts_data.bytes[i][2]);
    ctx.fillStyle = colour.second;
    ctx.fillRect(at_median - 2, bar.y - bar.height / 2 - 2, 4, bar.height + 4);
  });
  ctx.restore();
}};
function bytes() {
  const list = charts_data.bytes, values = list.flatMap(one => one.slice(1));
  const least = Math.min(...values), most = Math.max(...values);
  const x = {...log_axis("bytes / bytes of CSR (log scale)", ratio_marks(least, most), ratio_text),
             min: least / 1.1, max: most * 1.1};
  return {type: "bar", plugins: [medians],
    data: {labels: list.map(one => one[0]), datasets: [{
      label: "half of all matrices", data: list.map(([, low, , high]) => [low, high]), minBarLength: 3,
      backgroundColor: colour.first, barPercentage: .7, maxBarThickness: 24}]},
    options: {indexAxis: "y", plugins: {legend: {display: false}, tooltip: {callbacks: {
        label: item => {
          const [, low, median, high] = list[item.dataIndex];
          return `median ${three_figures(median)} ×, half of all from ${three_figures(low)} to ${three_figures(high)}`;
        }}}},
      scales: {x, y: {...category(""), title: {display: false},
                      ticks: {autoSkip: false, color: colour.text}}}}};
}

function break_evens() {
  const list = charts_data.break_evens;
  return {type: "bar", data: {labels: list.map(one => one[0]),
      datasets: [{label: "matrices", data: list.map(one => one[1]), backgroundColor: colour.first}]},
    options: {plugins: {legend: {display: false}},
      scales: {x: category("products"),
               y: {...axis_of("matrices"), beginAtZero: true, ticks: {...axis_of("").ticks, precision: 0}}}}};
}

Object.assign(kinds, {winners, profile, prediction, bytes, break_evens,
  over_csr: () => speedups("over_csr"), over_vendor: () => speedups("over_vendor")});

// ---- the table of all matrices ----
// Elements with text in them: nothing that comes from a file is ever read as markup.
function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {}))
    if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.map(child => child instanceof Node ? child : String(child)));
  return made;
}

const any = field => batch.rows.some(row => row[at[field]] !== null && row[at[field]] !== "");
const number_column = (field, title, text = short, note = "") => ({field, title, text, note});
const columns = [
  {field: "name", title: "matrix", words: true},
  {field: "status", title: "status", words: true},
  ...(any("winner") ? [{field: "winner", title: "winner", words: true, shown: "label"}] : []),
  ...("group" in at ? [{field: "group", title: "group", words: true}, {field: "kind", title: "kind", words: true}] : []),
  number_column("rows", "rows", grouped),
  number_column("entries", "entries", grouped),
  ...(any("winner") ? [
    number_column("us", "time", us_text),
    number_column("over_csr", "× CSR", three_figures, "how many times as fast the winner is as staying in CSR"),
    number_column("over_vendor", "× vendor", three_figures,
                  "how many times as fast it is as the vendor’s best format from one copy"),
    number_column("times_csr", "bytes / CSR", three_figures),
    number_column("repaid", "repaid", products_text, "products after which converting has paid"),
    number_column("predicted", "predicted", three_figures,
                  "the time of what --predict would take over the best")] : [
    number_column("cols", "columns", grouped),
    number_column("row_mean", "entries a row"),
    number_column("row_longest", "longest row", grouped),
    number_column("row_variation", "variation", short, "the standard deviation of the rows’ lengths over their mean"),
    number_column("symmetry", "symmetric", rounded_percent),
    number_column("bandwidth", "bandwidth", grouped)]),
  number_column("seconds", "seconds")
].filter(column => column.words || any(column.field));

const page_rows = 50;
const view = {order: batch.rows.map((row, i) => i), shown: [], first: 0, sorted: null, falling: false};
const find = document.getElementById("find"), choose_winner = document.getElementById("winner"),
      choose_status = document.getElementById("status"), dialog = document.getElementById("detail");
const names = batch.rows.map(row => row[at.name].toLowerCase());

function choose_rows() {
  const text = find.value.toLowerCase(), winner = choose_winner.value, status = choose_status.value;
  view.shown = view.order.filter(i => names[i].includes(text) &&
    (!winner || batch.rows[i][at.winner] === winner) && (!status || batch.rows[i][at.status] === status));
  view.first = 0;
  show_rows();
}

// What is missing comes last, whichever way; never is later than any number of products.
function sort_rows(column) {
  view.falling = view.sorted === column && !view.falling;
  view.sorted = column;
  const place = at[column.field], key = i => {
    const value = batch.rows[i][place];
    return column.field === "repaid" && value < 0 && value !== null ? Infinity : value;
  };
  const missing = value => value === null || value === "";
  const collator = new Intl.Collator("en", {numeric: true});
  view.order.sort((i, j) => {
    const a = key(i), b = key(j);
    if (missing(a) || missing(b)) return missing(a) - missing(b) || i - j;
    const order = a === b ? 0 : column.words ? collator.compare(a, b) : a - b;
    return (view.falling ? -order : order) || i - j;
  });
  choose_rows();
}

const body = element("tbody");
function show_rows() {
  const here = view.shown.slice(view.first, view.first + page_rows);
  body.replaceChildren(...here.map(i => {
    const row = batch.rows[i];
    const line = element("tr", {"data-row": i}, ...columns.map((column, c) => {
      const value = row[at[column.shown ?? column.field]];
      if (c === 0)
        return element("th", {scope: "row"}, element("button", {type: "button"}, value || "(no name)"));
      const text = value === null || value === "" ? "–" : column.words ? value : column.text(value);
      return element("td", {class: column.words ? "words" : undefined}, text);
    }));
    if (row[at.status] === "failed") line.cells[1].textContent = "failed: " + (row[at.cause] || "not known");
    if (columns[2].field === "winner" && is_vendor(row[at.winner])) line.cells[2].append(" (vendor)");
    return line;
  }));
  const last = Math.min(view.first + page_rows, view.shown.length);
  document.getElementById("where").textContent =
    view.shown.length === 0 ? "none of " + grouped(names.length) :
    `${grouped(view.first + 1)} to ${grouped(last)} of ${grouped(view.shown.length)}` +
    (view.shown.length < names.length ? `, chosen from ${grouped(names.length)}` : "");
  document.getElementById("before").disabled = view.first === 0;
  document.getElementById("after").disabled = last === view.shown.length;
  for (const column of columns) {
    if (view.sorted === column)
      column.heading.setAttribute("aria-sort", view.falling ? "descending" : "ascending");
    else column.heading.removeAttribute("aria-sort");
  }
}

function make_table() {
  for (const column of columns) {
    const button = element("button", {type: "button"}, column.title);
    column.heading = element("th", {scope: "col", class: column.words ? "words" : undefined}, button);
    button.addEventListener("click", () => sort_rows(column));
  }
  document.getElementById("all").append(element("table", {},
    element("thead", {}, element("tr", {}, ...columns.map(column => column.heading))), body));
  document.getElementById("notes").textContent =
    columns.filter(column => column.note).map(({title, note}) => `${title}: ${note}.`).join(" ");
  for (const [select, field] of [[choose_winner, "winner"], [choose_status, "status"]]) {
    const counts = new Map();
    for (const row of batch.rows) counts.set(row[at[field]], (counts.get(row[at[field]]) ?? 0) + 1);
    counts.delete("");
    for (const [value, count] of [...counts].sort((a, b) => b[1] - a[1]))
      select.append(element("option", {value}, `${value} (${grouped(count)})`));
    select.parentElement.hidden = counts.size < 2;
    select.addEventListener("change", choose_rows);
  }
  find.addEventListener("input", choose_rows);
  find.form.addEventListener("submit", event => event.preventDefault());
  for (const [id, step] of [["before", -page_rows], ["after", page_rows]])
    document.getElementById(id).addEventListener("click", () => {
      view.first = Math.max(0, view.first + step);
      show_rows();
    });
  body.addEventListener("click", event => {
    const line = event.target.closest("tr");
    if (line && !String(getSelection())) open_row(Number(line.dataset.row));
  });
  choose_rows();
}

// ---- one matrix ----
const feature_names = [["density", rounded_percent], ["entries a row, mean"], ["longest row", grouped],
  ["variation of the rows’ lengths"], ["Gini of the rows’ lengths"], ["empty rows", grouped],
  ["mirrored pattern", rounded_percent], ["mirrored values", rounded_percent], ["lower bandwidth", grouped],
  ["upper bandwidth", grouped], ["diagonals with entries", grouped],
  ["entries with one to their right", rounded_percent], ["entries with one below", rounded_percent]];

function facts(title, list) {
  const known = list.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (known.length === 0) return "";
  return element("div", {class: "scroll facts", role: "region", "aria-label": title, tabindex: 0},
    element("table", {}, element("caption", {}, title), element("tbody", {}, ...known.map(([name, value]) =>
      element("tr", {}, element("th", {scope: "row"}, name), element("td", {}, value))))));
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
function levels_of(cells) {
  const whole = cells.replace(/(.)\*([0-9a-f]+)\./g, (all, digit, times) => digit.repeat(parseInt(times, 16)));
  return [...whole].flatMap(digit => [digits.indexOf(digit) >> 3, digits.indexOf(digit) & 7]);
}

function spy_plot(row, detail) {
  if (!detail.spy) return "";
  const [rows, cols, most, cells] = detail.spy, palette = batch.spy_colours[is_dark() ? "dark" : "light"];
  const levels = levels_of(cells), picture = element("canvas", {width: cols, height: rows, class: "few", role: "img",
    "aria-label": "Spy plot: where the entries are, in " + rows + " × " + cols + " cells"});
  const context = picture.getContext("2d");
  for (let i = 0; i < rows * cols; ++i)
    if (levels[i] > 0) {
      context.fillStyle = palette[levels[i] - 1];
      context.fillRect(i % cols, Math.floor(i / cols), 1, 1);
    }
  const height = row[at.rows] ?? rows, width = row[at.cols] ?? cols;
  const proportion = Math.min(4, Math.max(.25, width / height));
  const side = proportion < 1 ? 22 * proportion : 22;
  const mark = (kind, style, text) => element("span", {class: kind, style}, text);
  return element("figure", {}, element("figcaption", {}, element("b", {}, "Where the entries are"), element("p", {},
      "Stronger colour: more entries, on a log scale; at most " + grouped(most) + " in a cell.")),
    element("div", {class: "spy", style: `padding-inline:${grouped(height).length + 1}ch ${grouped(width).length / 2 + .5}ch`},
      element("div", {class: "spy-cells", style: `width:${side}rem;aspect-ratio:${proportion}`}, picture,
        mark("across", "left:0", 0), mark("across", "left:100%", grouped(width)),
        mark("down", "top:0", 0), mark("down", "top:100%", grouped(height)))));
}

function verdict_sentence(row, detail) {
  const [label, kernels, us, bytes] = detail.winner;
  const how = row[at.status] === "predicted" ? "Predicted, nothing was run: take " :
    row[at.status] === "so far" ? "So far, the race is not final: take " :
    detail.noisy ? `The machine was busy: ${detail.noisy.join("; ")}; run again. Unsettled: take ` : "Take ";
  const parts = [];
  if (detail.stay && row[at.repaid] !== null && row[at.over_csr] !== null)
    parts.push(three_figures(row[at.over_csr]) + " × as fast as staying in CSR");
  if (row[at.over_vendor] !== null)
    parts.push(three_figures(row[at.over_vendor]) + " × as fast as the vendor’s best format");
  const after = row[at.repaid], repaid = after > 0 ?
    `after ${grouped(after)} ${detail.unit}${after === 1 ? "" : "s"}` : after === null ? "" : products_text(after);
  return element("p", {class: "sentence"}, how, element("b", {}, label),
    [` with ${kernels}: ${us_text(us)} ${detail.unit === "product" ? "a" : "an"} ${detail.unit}`, ...parts].join(", ") +
    (bytes === null ? "" : `; ${three_figures(bytes)} × the bytes of CSR`) +
    (repaid ? `; converting is repaid ${repaid}.` : "."));
}

function contestants_of(detail) {
  const word = i => batch.words[i], all = [];
  for (const [format, note, of_transpose, bytes, convert, why_not, list] of detail.variants) {
    const label = [word(format), word(note), of_transpose ? "of Aᵀ" : ""].filter(Boolean).join(" ");
    for (let k = 0; k < list.length; k += 6) {
      const flags = list[k + 1];
      all.push({label, kernel: word(list[k]) + (flags & 2 ? " (vendor)" : ""),
                operation: flags & 32 ? "A·x, Aᵀ·w" : flags & 64 ? "Aᵀ·(A·x)" : flags & 1 ? "Aᵀ·x" : "A·x", won: flags & 4, tie: flags & 8,
                result: word(list[k + 2]), us: list[k + 3], other: list[k + 4], predicted: list[k + 5],
                bytes, convert});
    }
    if (list.length === 0)
      all.push({label, kernel: "–", operation: "", result: word(why_not),
                us: null, other: null, predicted: null, bytes, convert});
  }
  const late = v => v === null ? Infinity : v;
  const gap = (a, b) => a === b ? 0 : a - b;  // of two that are infinite, none
  return all.sort((a, b) => (a.operation === "") - (b.operation === "") ||
                            a.operation.localeCompare(b.operation) || gap(late(a.us), late(b.us)) ||
                            gap(late(a.predicted), late(b.predicted)));
}

function contestants_table(detail) {
  const list = contestants_of(detail);
  if (list.length === 0) return "";
  const raced = list.some(one => one.kernel !== "–");
  const other = detail.regime === "warm" ? "cold" : "warm";
  const time = v => v === null ? "–" : us_text(v), ratio = v => v === null ? "–" : three_figures(v);
  const title = raced ? "All contestants, the fastest first" : "What the formats would cost";
  const head = raced ? ["format", "kernel", "product", detail.regime || "time", other, "predicted",
                        "bytes / CSR", "convert", "result"] : ["format", "bytes / CSR"];
  const place = {class: raced ? "scroll contestants" : "scroll", role: "region", "aria-label": title,
                 tabindex: 0};
  return element("div", place,
    element("table", {}, element("caption", {}, title),
      element("thead", {}, element("tr", {}, ...head.map(text => element("th", {scope: "col"}, text)))),
      element("tbody", {}, ...list.map(one => element("tr", {class: one.won ? "won" : undefined},
        element("th", {scope: "row"}, one.label),
        ...(raced ? [one.kernel, one.operation, time(one.us), time(one.other), time(one.predicted),
                     ratio(one.bytes), one.convert === null ? "–" : us_text(1e3 * one.convert),
                     (one.won ? "winner; " : one.tie ? "tied; " : "") + one.result] : [ratio(one.bytes)])
          .map(text => element("td", {}, text)))))));
}

function open_row(i) {
  const row = batch.rows[i], detail = JSON.parse(batch.details[i]), word = k => batch.words[k];
  const close = element("button", {type: "button"}, "Close");
  close.addEventListener("click", () => dialog.close());
  const size = row[at.rows] === null ? "" : `${grouped(row[at.rows])} × ${grouped(row[at.cols])}` +
    (row[at.entries] === null ? "" : `, ${grouped(row[at.entries])} entries`);
  const failure = detail.failure ?? [];
  const way = w => w ? `${w[0]} with ${w[1]}: ${us_text(w[2])}` : null;
  const [machine, options, version, node, field, origin] = detail.about.map(word);
  dialog.replaceChildren(...[
    element("header", {}, element("h2", {id: "detail-name", title: row[at.name]}, row[at.name].split("/").pop()), close),
    size ? element("p", {class: "lead"}, size) : "",
    detail.winner ? verdict_sentence(row, detail) : "",
    detail.reason ? element("ul", {}, ...detail.reason.split("; ").map(text => element("li", {}, text))) : "",
    detail.failure ? facts("Failure", [["cause", failure[1]], ["doing", failure[0]], ["signal", failure[2]],
                                       ["message", failure[3]], ["last words", failure[4]]]) : "",
    element("div", {class: "looks"}, spy_plot(row, detail), facts("Structure", feature_names.map(([name, text], k) =>
      [name, detail.features[k] === null ? null : (text ?? short)(detail.features[k])]))),
    detail.winner ? facts("Beside it", [
      ["staying in CSR", way(detail.stay)], ["the vendor’s best format", way(detail.vendor)],
      ["the vendor’s CSR", way(detail.vendor_csr)],
      ["the vendor’s best, two copies", way(detail.vendor_two_copies)],
      ["next that is not tied", detail.runner_up && way(detail.runner_up) + (detail.margin === null ? "" :
        `, ${three_figures(detail.margin)} × the winner’s`)],
      ["--predict would take", detail.choice && `${detail.choice[0]} with ${detail.choice[1]}: ` +
        (row[at.predicted] === null ? "not measured" : three_figures(row[at.predicted]) + " × the best")],
      ["to make it", detail.spconv]]) : "",
    contestants_table(detail),
    facts("How it was made", [["source", detail.source], ["origin", origin], ["field", field],
      ["bits of a value", detail.value_bits], ["machine", machine], ["options", options],
      ["version", version], ["node", node], ["started", detail.started], ["seconds", row[at.seconds]],
      ["of them waiting", detail.waited],
      ["memory at most", detail.memory === null ? null : bytes_text(detail.memory)],
      ["key", detail.key]])].filter(part => part !== ""));
  dialog.showModal();
  watch_tables(dialog);
  dialog.scrollTop = 0;
  close.focus();
}
dialog.addEventListener("click", event => {
  if (event.target === dialog) dialog.close();  // beside it
});

make_table();
draw_all();
