const plain = text => text.replaceAll("A^T", "Aᵀ");
// Colours are #rrggbb.
const pale = (name, part) => colour[name] + Math.round(255 * part).toString(16).padStart(2, "0");
const roles = {
  winner: {label: "recommended", fill: () => colour.first},
  tied: {label: "not told apart from it", fill: () => pale("first", .5)},
  stay: {label: "staying in CSR", fill: () => colour.text},
  vendor: {label: "vendor’s", fill: () => colour.second},
  other: {label: "others", fill: () => pale("muted", .65)}};

// A power of ten of seconds.
function power_text(seconds) {
  const power = Math.round(Math.log10(seconds));
  const [unit, name] = power < -6 ? [-9, "ns"] : power < -3 ? [-6, "µs"] : power < 0 ? [-3, "ms"] : [0, "s"];
  return compact.format(10 ** (power - unit)) + " " + name;
}

// An axis for these times, what seconds are multiplied by for it, and how one of them is written beside it.
// On a log scale one unit does not suit all.
function time_axis(title, seconds, floor) {
  const unit = unit_for(Math.max(...seconds));
  const axis = scale(unit.name + " " + title, seconds.map(s => s * unit.factor), floor);
  if (axis.type !== "logarithmic") return {axis, factor: unit.factor, text: s => three_figures(s * unit.factor)};
  return {axis: {...decades("time " + title, power_text), min: floor(Math.min(...seconds))}, factor: 1,
          text: time_text};
}

// Text that stays legible on whatever it is written over.
function write(ctx, text, x, y, ink = colour.text) {
  ctx.lineWidth = 4;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colour.card;
  ctx.fillStyle = ink;
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

// Whiskers from the 10th to the 90th percentile, and the median behind them. On a log scale, where bars have
// nothing to start from, the median is a dot at the end of a thin line.
const spread = {id: "spread", afterDatasetsDraw(chart) {
  const {ctx, scales: {x}, chartArea: area} = chart;
  ctx.save();
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  chart.data.datasets.forEach((set, s) => chart.getDatasetMeta(s).data.forEach((bar, i) => {
    if (set.data[i] === null) return;
    const one = set.list[i], to = v => Math.min(x.getPixelForValue(v * set.factor), area.right);
    let end = bar.x;
    if (x.type === "logarithmic") {
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = set.borderColor;
      ctx.fillStyle = one.early ? colour.card : set.borderColor;
      ctx.beginPath();
      ctx.arc(bar.x, bar.y, 4, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
      end += 4;
    }
    if (one.high > one.low) {
      const low = to(one.low), high = to(one.high);
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = colour.text;
      ctx.beginPath();
      ctx.moveTo(low, bar.y);
      ctx.lineTo(high, bar.y);
      for (const cap of [low, high]) {
        ctx.moveTo(cap, bar.y - 4);
        ctx.lineTo(cap, bar.y + 4);
      }
      ctx.stroke();
      end = Math.max(end, high);
    }
    write(ctx, set.text(one.seconds), end + 5, bar.y);
  }));
  ctx.restore();
}};

// The legend shows the colour of a role, whatever its first bar looks like.
const strong_labels = chart => Chart.defaults.plugins.legend.labels.generateLabels(chart).map(label =>
  ({...label, fillStyle: chart.data.datasets[label.datasetIndex].borderColor}));

function times(list, canvas, first, per) {
  const narrow = canvas.parentElement.clientWidth < 480;
  const shown = canvas.dataset.all ? list : list.slice(0, first);
  canvas.parentElement.style.height = `${6 + shown.length * (narrow ? 1.8 : 1.5)}rem`;
  const slowest = Math.max(...shown.map(c => c.seconds));
  const {axis: x, factor, text} = time_axis(per, shown.map(c => c.seconds), least => least / 1.6);
  const log = x.type === "logarithmic";
  // A single stray percentile must not press all bars together.
  x.suggestedMax = Math.min(Math.max(...shown.map(c => c.high)), 1.25 * slowest) * factor;
  const label = c => narrow && c.name.includes(" (") ? plain(c.name).slice(0, -1).split(" (") : plain(c.name);
  const sets = Object.entries(roles).filter(([role]) => shown.some(c => c.role === role));
  return {type: "bar", plugins: [spread],
    data: {labels: shown.map(label), datasets: sets.map(([role, {label, fill}]) => {
      const strong = fill(), weak = strong.slice(0, 7) + "55";
      return {label, list: shown, factor, text, grouped: false, borderColor: strong, maxBarThickness: 24,
              backgroundColor: shown.map(c => c.early && role !== "winner" ? weak : strong),
              data: shown.map(c => c.role === role ? c.seconds * factor : null),
              ...(log ? {barThickness: 2} : {barPercentage: .8, categoryPercentage: .9, borderWidth: 1})};
    })},
    options: {indexAxis: "y", layout: {padding: {right: log ? 56 : 40}},
      plugins: {legend: legend({boxWidth: 14, generateLabels: strong_labels}), tooltip: {callbacks: {
        title: items => plain(shown[items[0].dataIndex].name),
        label: item => {
          const c = shown[item.dataIndex];
          return [item.dataset.label + (c.early ? ", left early" : ""), time_text(c.seconds) +
            (c.high > c.low ? `, p10 ${time_text(c.low)}, p90 ${time_text(c.high)}` : "") +
            (c.samples ? `; ${c.samples} sample${c.samples > 1 ? "s" : ""}` : "")];
        }}}},
      scales: {x, y: {...category(""), title: {display: false}, ticks: {autoSkip: false,
        color: context => shown[context.index]?.role === "winner" ? colour.text : colour.muted,
        font: context => ({size: narrow ? 10 : 12,
                           weight: shown[context.index]?.role === "winner" ? "bold" : "normal"})}}}}};
}

// Texts beside the points of sets that have them, each where it covers no point and no other text: close by, else
// further away at the end of a line. Quiet ones come after all others, and not where there is no room close by.
const point_texts = {id: "point_texts", afterDatasetsDraw(chart) {
  const {ctx, chartArea: area} = chart, taken = [];
  ctx.save();
  ctx.font = "12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  const wanted = [];
  chart.data.datasets.forEach((set, s) => chart.getDatasetMeta(s).data.forEach((point, i) => {
    const radius = point.options.radius + 1;
    if (radius <= 1) return;
    taken.push({left: point.x - radius, right: point.x + radius, top: point.y - radius, bottom: point.y + radius});
    if (set.texts?.[i]) wanted.push({point, radius, text: set.texts[i], quiet: set.quiet?.[i]});
  }));
  for (const {point, radius, text, quiet} of wanted.sort((a, b) => !!a.quiet - !!b.quiet)) {
    const width = ctx.measureText(text).width;
    const free = ([x, y]) => {
      const box = {left: x - 2, right: x + width + 2, top: y - 7, bottom: y + 7};
      return box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom &&
        !taken.some(other => other.left < box.right && box.left < other.right &&
                             other.top < box.bottom && box.top < other.bottom);
    };
    const around = gap => [[gap + 3, 0], [-gap - 3 - width, 0], ...[-gap - 7, gap + 7].flatMap(down =>
      [[3, down], [-width / 2, down], [-3 - width, down]])].map(([right, down]) => [point.x + right, point.y + down]);
    let place = around(radius).find(free);
    if (!place && !quiet) {
      place = [14, 26, 38, 50, 64, 80].flatMap(around).find(free);
      if (place) {
        const [x, y] = place;
        ctx.lineWidth = 1;
        ctx.strokeStyle = colour.muted;
        ctx.beginPath();
        ctx.moveTo(point.x, point.y);
        ctx.lineTo(Math.min(Math.max(point.x, x), x + width), y + Math.sign(point.y - y) * 6);
        ctx.stroke();
      }
    }
    if (!place) continue;
    taken.push({left: place[0] - 2, right: place[0] + width + 2, top: place[1] - 7, bottom: place[1] + 7});
    write(ctx, text, ...place, quiet ? colour.muted : colour.text);
  }
  ctx.restore();
}};

function totals(data, canvas) {
  const chosen = document.querySelector(`input[name="totals-${canvas.dataset.matrix}"]:checked`);
  const lines = data.totals, stay = lines.find(line => line.stays), ratio = chosen?.value === "ratio";
  const crosses = line => line.crossing > 0 && line.crossing <= 1e9;
  const last = Math.max(6, ...lines.filter(crosses).map(line => Math.ceil(Math.log10(line.crossing) + .3)));
  const numbers = [...[...Array(last * 8 + 1).keys()].map(k => 10 ** (k / 8)),
                   ...lines.filter(crosses).map(line => line.crossing)].sort((a, b) => a - b);
  const end = 10 ** last;
  const total = (line, n) => line.price + n * line.seconds;
  const y_of = (line, n) => ratio ? total(line, n) / total(stay, n) : total(line, n);
  const ends = n => lines.map(line => y_of(line, n));
  let others = 1;
  const datasets = lines.map(line => {
    const shade = line.role === "winner" ? colour.first : line.stays ? colour.text : hue(others++);
    const ring = n => crosses(line) && n === line.crossing;
    return {label: plain(line.format) + (line.stays ? ", staying" : ""), showLine: true,
            data: numbers.map(n => ({x: n, y: y_of(line, n)})),
            borderColor: shade, backgroundColor: shade, borderWidth: line.role === "winner" ? 3.5 : 1.75,
            borderDash: line.stays ? [6, 4] : [],
            pointRadius: numbers.map(n => ring(n) ? 5.5 : 0),
            pointHoverRadius: numbers.map(n => ring(n) ? 7 : 3),
            pointBackgroundColor: colour.card, pointBorderWidth: 2.5,
            texts: numbers.map(n => ring(n) ? products_text(n) : "")};
  });
  // Against CSR, what was paid at the start is far above everything that matters.
  const least = Math.min(.9, ...ends(end)) / 1.1, most = Math.max(2.5, 1.2 * Math.max(...ends(end)));
  const y = ratio ?
    {...log_axis("total time / that of staying in CSR (log scale)", ratio_marks(least, most), ratio_text),
     min: least, max: most} :
    {...decades("total time", power_text), min: Math.min(...ends(1)) / 2, max: Math.max(...ends(end)) * 2};
  return {type: "scatter", plugins: [point_texts], data: {datasets},
    options: {interaction: {mode: "index", axis: "x", intersect: false},
      plugins: {
        legend: legend({boxWidth: 26, boxHeight: 1}),
        tooltip: {itemSort: (a, b) => a.parsed.y - b.parsed.y, callbacks: {
          title: items => grouped(items[0].parsed.x) + ` ${data.unit}s`,
          label: item => item.dataset.label + ": " +
                         (ratio ? three_figures(item.parsed.y) + " ×" : time_text(item.parsed.y))}}},
      scales: {x: {...decades(`${data.unit}s`), min: 1, max: end}, y}}};
}

function bytes(data) {
  const list = data.bytes, floor = least => least / 1.5;
  const {axis: y, factor} = time_axis(`per ${data.unit}`, list.map(p => p.seconds), floor);
  const point = p => ({x: p.bytes, y: p.seconds * factor, p});
  // Unlike bars, points need no zero; but what differs by a hundredth is not to look as if it were far apart.
  const zoomed = (axis, values) => axis.type === "logarithmic" ? axis : {...axis, beginAtZero: false, grace: "8%",
    suggestedMin: .95 * Math.min(...values), suggestedMax: 1.05 * Math.max(...values)};
  const frontier = list.filter(p => p.frontier);
  const sets = Object.entries(roles).filter(([role]) => list.some(p => p.role === role));
  return {type: "scatter", plugins: [point_texts],
    data: {datasets: [
      {label: "nothing smaller is as fast", data: frontier.map(point), showLine: true, stepped: "before",
       pointRadius: 0, pointHitRadius: 0, pointStyle: "line", borderColor: colour.muted,
       backgroundColor: colour.muted, borderWidth: 1.5, borderDash: [4, 3], order: 2},
      ...sets.map(([role, {label, fill}]) => {
        const here = list.filter(p => p.role === role);
        const named = p => p.frontier || role === "winner" || role === "stay";
        return {label, data: here.map(point), order: 1,
                backgroundColor: fill(), borderColor: colour.card, borderWidth: 1,
                pointRadius: role === "winner" ? 8 : role === "vendor" ? 7 : 5.5, pointHoverRadius: 9,
                pointStyle: role === "winner" ? "rectRot" : role === "vendor" ? "triangle" : "circle",
                texts: here.map(p => plain(p.format)), quiet: here.map(p => !named(p))};
      })]},
    options: {layout: {padding: {right: 8}},
      plugins: {
        legend: legend({usePointStyle: true, boxWidth: 10}),
        tooltip: {callbacks: {
          title: items => plain(items[0].raw.p.format),
          label: ({raw: {p}}) => [plain(p.kernels), `${three_figures(p.bytes)} × CSR, ${time_text(p.seconds)}`]}}},
      scales: {x: zoomed(scale("bytes / bytes of CSR", list.map(p => p.bytes), floor), list.map(p => p.bytes)),
               y: zoomed(y, list.map(p => p.seconds * factor))}}};
}

Object.assign(kinds, {totals, bytes,
  times_multiply: (data, canvas) => times(data.times_multiply, canvas, data.first, "per product"),
  times_transposed: (data, canvas) => times(data.times_transposed, canvas, data.first, "per product"),
  times_both: (data, canvas) => times(data.times_both, canvas, data.first, "per application"),
  times_normal: (data, canvas) => times(data.times_normal, canvas, data.first, "per application")});

const canvas_of = (kind, matrix) =>
  document.querySelector(`canvas[data-chart="${kind}"][data-matrix="${matrix}"]`);
for (const input of document.querySelectorAll(".switch input"))
  input.addEventListener("change", () => draw(canvas_of("totals", input.dataset.matrix)));
for (const button of document.querySelectorAll(".more button"))
  button.addEventListener("click", () => {
    const canvas = canvas_of(button.dataset.more, button.dataset.matrix), text = button.textContent;
    button.textContent = button.dataset.other ?? "Show the fastest only";
    button.dataset.other = text;
    if (canvas.dataset.all) delete canvas.dataset.all;
    else canvas.dataset.all = "yes";
    draw(canvas);
  });

// Columns sort by their headings: numbers by their value, words by the alphabet, what is missing last.
function sort_by(table, column, falling) {
  const body = table.tBodies[0], key = row => {
    const cell = row.cells[column], number = cell.querySelector("data");
    return number ? Number(number.value) : cell.textContent;
  };
  const rows = [...body.rows].map(row => [key(row), row]);
  const missing = value => value === "–";
  rows.sort(([a], [b]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return falling ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
}
for (const table of document.querySelectorAll(".sorted table"))
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const falling = heading.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
      sort_by(table, column, falling);
    });
  });
draw_all();
