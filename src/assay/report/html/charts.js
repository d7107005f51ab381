// Charts, each drawn only where its data exist. The rule: plotly reads a few tags in its labels, so
// every text that goes there is escaped by `plain`.
const SERIES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#8c564b", "#7f7f7f"];
const FILLS = { accepted: "#2e9e52", suspicious: "#d9a400", incorrect: "#d9535a", dishonest: "#8f1d24",
  build_failed: "#e58a8f", crashed: "#c46a2b", timed_out: "#9c7a4d", out_of_memory: "#7d5a8c",
  not_run: "#a05fb5", invalid_task: "#6f6fb0", open: "#9aa3ad" };
let pendingCharts = [], drawnCharts = [];
// A chart is drawn when it comes near the part of the page that is seen.
const nearCharts = new IntersectionObserver((seen) => {
  seen.filter((one) => one.isIntersecting).forEach((one) => drawChart(pendingCharts.find((chart) => chart.node === one.target)));
}, { rootMargin: "200px" });

function plain(text, most = 40) {
  const whole = visible(text);
  const cut = whole.length > most ? "..." + whole.slice(3 - most) : whole;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function chart(title, sentence, traces, layout = {}, height = 300, kind = "") {
  if (DATA.charts) return el("figure", {}, el("figcaption", {}, title), el("p", { class: "soft" }, sentence), plainChart(traces, layout) || missing(DATA.charts));
  const node = el("div", { class: "chart " + kind, role: "img", "aria-label": title + ". " + sentence });
  pendingCharts.push({ node, traces, layout: { ...layout, height } });
  return el("figure", {}, el("figcaption", {}, title), el("p", { class: "soft" }, sentence), el("div", kind ? { class: "across", tabindex: "0", role: "group", "aria-label": title } : {}, node));
}
function noChart(title, why) { return el("figure", {}, el("figcaption", {}, title), missing(why)); }

function themed(layout) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = { gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"), automargin: true };
  const full = {
    paper_bgcolor: colour("--ground"), plot_bgcolor: colour("--ground"), font: { color: colour("--text"), size: 13 },
    margin: { l: 56, r: 16, t: 12, b: 48 }, hoverlabel: { align: "left" }, legend: { orientation: "h", y: -0.28 }, ...layout,
  };
  for (const name of ["xaxis", "yaxis"]) full[name] = { ...axis, ...(layout[name] || {}) };
  if (layout.polar) full.polar = { bgcolor: colour("--ground"), radialaxis: { ...axis, range: [0, 4], dtick: 1 }, angularaxis: axis };
  return full;
}
function drawChart(one) {
  if (!one) return;
  pendingCharts = pendingCharts.filter((other) => other !== one);
  nearCharts.unobserve(one.node);
  Plotly.newPlot(one.node, one.traces, themed(one.layout), { displayModeBar: false, responsive: true });
  drawnCharts.push(one);
  performance.mark("chart");
}
// The library is held as text and run once the page has been painted: it takes longer than the page.
function loadLibrary() {
  const held = document.getElementById("library");
  if (!held || DATA.charts) return;
  const script = document.createElement("script");
  script.textContent = held.textContent;
  held.remove();
  document.head.append(script);
  drawCharts();
}
function drawCharts() {
  if (typeof Plotly !== "undefined") pendingCharts.forEach((one) => nearCharts.observe(one.node));
}
function drawAll() {
  loadLibrary();
  pendingCharts.forEach(drawChart);
}
function forgetCharts() {
  nearCharts.disconnect();
  drawnCharts.forEach((one) => Plotly.purge(one.node));
  drawnCharts = [];
  pendingCharts = [];
}
function restyleCharts() { drawnCharts.forEach((one) => Plotly.relayout(one.node, themed(one.layout))); }

function statusBars(title, groups) {
  const names = [...groups.keys()].reverse();
  const traces = STATUSES.map((status) => ({
    type: "bar", orientation: "h", name: words(status), marker: { color: FILLS[status] || "#888" },
    y: names.map((name) => plain(name)), x: names.map((name) => count(groups.get(name), status)), hoverinfo: "x+name",
  }));
  return chart(title, "Candidates by status.", traces,
    { barmode: "stack", xaxis: { title: { text: "candidates" }, tickformat: "d" }, legend: { orientation: "h", y: 1.02, yanchor: "bottom", traceorder: "normal" },
      margin: { l: 56, r: 16, t: 40, b: 44 } }, 130 + 24 * names.length);
}

function fastCurves(names) {
  const curves = DATA.curves.filter((curve) => names.includes(curve.generator) && curve.points);
  if (!curves.length) return noChart("fast_p", "No fast_p curve: no answer was timed (the first sample of a task, in its last round).");
  const traces = curves.flatMap((curve, i) => {
    const colour = SERIES[i % SERIES.length], p = curve.points.map((one) => one.p);
    const band = curve.points.map((one) => one.low || 0).reverse();
    return [
      { x: [...p, ...[...p].reverse()], y: [...curve.points.map((one) => one.high), ...band], fill: "toself", fillcolor: colour + "22",
        line: { width: 0 }, mode: "lines", hoverinfo: "skip", showlegend: false },
      { x: p, y: curve.points.map((one) => one.value || 0), mode: "lines", line: { color: colour, width: 2, shape: "hv" },
        name: plain(curve.generator) + " (" + (curve.timed || 0) + " of " + curve.n + " tasks timed)" },
    ];
  });
  return chart("fast_p", "Share of all tasks whose answer (the first sample, in its last round) is accepted and more than p times as fast as the first baseline, with 95 % bands.",
    traces, { xaxis: { title: { text: "p" } }, yaxis: { range: [0, 1.02], tickformat: ".0%" } }, 340);
}

function densities(verdicts) {
  const rows = verdicts.flatMap((v) => (v.samples || []).map((one) => ({
    ...one, label: plain((one.subject === "candidate" ? (verdicts.length > 1 ? shortName(v) : "candidate") : one.subject) + " (" + one.cache + ")"),
  })));
  const drawn = rows.filter((one, i) => rows.findIndex((other) => other.label === one.label) === i && one.samples_us.length > 2).reverse();
  if (!drawn.length) return noChart("Sample densities", "No sample densities: " + (verdicts[0].timing_reason || "nothing was timed") + ".");
  const traces = drawn.map((one, i) => ({
    type: "violin", orientation: "h", x: one.samples_us, name: one.label, side: "positive", spanmode: "hard", width: 1.6, points: "all", pointpos: -0.15,
    jitter: 0.15, marker: { size: 3, opacity: 0.5 }, line: { color: SERIES[(drawn.length - 1 - i) % SERIES.length], width: 1.5 },
    box: { visible: false }, meanline: { visible: false }, hoverinfo: "x", showlegend: false,
  }));
  const unused = verdicts.some((v) => v.samples && !v.timing) ? " No speedup was made from these samples: the times are not stated above." : "";
  return chart("Sample densities", "One sample a round; each dot is a sample." + unused, traces,
    { xaxis: { title: { text: "microseconds per call" } }, violingap: 0 }, 120 + 90 * drawn.length);
}

function errorHistogram(v) {
  const errors = v.errors || [], exact = errors.filter((one) => one === 0).length;
  const logs = errors.filter((one) => one > 0).map(Math.log10);
  const rest = [exact ? exact + " are exact" : "", v.errors_not_finite ? v.errors_not_finite + " are not finite" : ""].filter(Boolean).join(", ");
  if (!logs.length) return noChart("Error histogram", rest ? "No histogram: of the results " + rest + "." : "No error histogram: no result was compared with the truth.");
  const trace = { type: "histogram", x: logs, xbins: { start: Math.floor(Math.min(...logs)), end: Math.ceil(Math.max(...logs)) + 0.25, size: 0.25 },
    marker: { color: SERIES[0] }, hoverinfo: "y" };
  const low = Math.floor(Math.min(...logs, -1)), high = Math.ceil(Math.max(...logs, 0.5));
  const step = Math.max(1, Math.ceil((high - low) / 8));
  const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);
  return chart("Error histogram", "Largest error of each of " + errors.length + " results, in units of its budget" + (rest ? "; " + rest : "") + ". Right of the line is wrong.",
    [trace], { xaxis: { title: { text: "error in units of its budget" }, tickvals: ticks, ticktext: ticks.map((t) => (Math.abs(t) < 4 ? String(10 ** t) : "1e" + t)), range: [low, high] },
      yaxis: { title: { text: "results" } },
      shapes: [{ type: "line", x0: 0, x1: 0, yref: "paper", y0: 0, y1: 1, line: { color: FILLS.incorrect, width: 2 } }] });
}

function roofline(verdicts) {
  const placed = verdicts.filter((v) => v.limits && v.limits.time_us && v.limits.flops && v.limits.bytes && v.peaks);
  if (!placed.length) {
    const why = unique(verdicts.map((v) => v.limits_reason).filter(Boolean))[0];
    return noChart("Roofline", "No roofline: it needs a time, products to count and a board whose peaks are known" + (why ? ", and there are none (" + why + ")." : "."));
  }
  const peaks = placed[0].peaks, roof = Math.max(...Object.values(peaks.flops_per_s));
  const intensity = placed.map((v) => v.limits.flops / v.limits.bytes), ridge = roof / peaks.bytes_per_s;
  const ends = [Math.min(...intensity, ridge) / 10, ridge, Math.max(...intensity, ridge) * 10];
  const traces = [
    { x: ends, y: ends.map((x) => Math.min(roof, x * peaks.bytes_per_s)), mode: "lines", line: { color: SERIES[7], width: 2 }, name: plain(peaks.title), hoverinfo: "name" },
    { x: intensity, y: placed.map((v) => (v.limits.flops / v.limits.time_us) * 1e6), mode: "markers", name: "candidates",
      marker: { size: 10, color: placed.map((v) => FILLS[v.status]) }, hoverinfo: "text",
      hovertext: placed.map((v) => plain(shortName(v)) + "<br>" + (v.limits.sol_fraction ? Math.round(100 * v.limits.sol_fraction) + " % of the speed of light" : "")) },
  ];
  return chart("Roofline", "Arithmetic reached over arithmetic per byte, below the roofs of " + peaks.title + ".", traces,
    { xaxis: { type: "log", title: { text: "operations per byte" } }, yaxis: { type: "log", title: { text: "operations per second" } } }, 360);
}

// Rows of a group over the eight shape categories: the share of its workloads that went well.
function robustness(title, groups) {
  const names = [...groups.keys()].reverse();
  const asked = names.map((name) => groups.get(name).flatMap((v) => v.workloads || []).filter((w) => w.outcome !== "not_run"));
  if (!asked.some((rows) => rows.length)) return noChart(title, "No heat map: no workload was asked.");
  const cells = asked.map((rows) => DATA.categories.map((category) => {
    const of = rows.filter((w) => (DATA.shapes[w.sizes] || []).includes(category));
    return { ok: of.filter((w) => w.outcome === "ok").length, n: of.length };
  }));
  const trace = { type: "heatmap", x: DATA.categories, y: names.map((name, i) => plain(name) + "\u200b".repeat(i)), xgap: 2, ygap: 2, zmin: 0, zmax: 1,
    z: cells.map((row) => row.map((cell) => (cell.n ? cell.ok / cell.n : null))),
    text: cells.map((row) => row.map((cell) => (cell.n ? cell.ok + "/" + cell.n : ""))), texttemplate: "%{text}", hoverinfo: "x+y+text",
    colorscale: [[0, "#d9777c"], [0.5, "#f0d37a"], [1, "#7fc796"]], textfont: { color: "#111" }, colorbar: { tickformat: ".0%", thickness: 12 } };
  return chart(title, "Share of workloads answered rightly, by category of shape; a workload counts in several.", [trace],
    { xaxis: { side: "top", tickangle: -30 }, margin: { l: 56, r: 10, t: 90, b: 10 } }, 110 + 30 * names.length, "matrix");
}

// From one round of a generator to the next, by candidates of the same task and sample.
function transitions(verdicts) {
  const lines = grouped(verdicts.filter((v) => v.provenance && Number.isInteger(v.provenance.round)),
    (v) => JSON.stringify([v.generator, v.task, v.provenance.sample ?? 0]));
  const flows = new Map();
  for (const line of lines.values()) {
    line.sort((a, b) => a.provenance.round - b.provenance.round);
    line.slice(1).forEach((after, i) => {
      const key = JSON.stringify([i, line[i].status, i + 1, after.status]);
      flows.set(key, (flows.get(key) || 0) + 1);
    });
  }
  if (!flows.size) return noChart("Transitions between rounds", "No transitions: no candidate has a later round of the same task and sample.");
  const links = [...flows].map(([key, value]) => ({ parts: JSON.parse(key), value }));
  const nodes = unique(links.flatMap(({ parts }) => [JSON.stringify(parts.slice(0, 2)), JSON.stringify(parts.slice(2))]));
  const status = nodes.map((one) => JSON.parse(one)[1]);
  return chart("Transitions between rounds", "How the status of a task's candidate changed from round to round.", [{
    type: "sankey", arrangement: "snap",
    node: { label: nodes.map((one) => words(JSON.parse(one)[1])), color: status.map((s) => FILLS[s]), pad: 14, thickness: 14 },
    link: { source: links.map(({ parts }) => nodes.indexOf(JSON.stringify(parts.slice(0, 2)))),
      target: links.map(({ parts }) => nodes.indexOf(JSON.stringify(parts.slice(2)))), value: links.map((one) => one.value),
      color: links.map(({ parts }) => (FILLS[parts[3]] || "#888888") + "66") },
  }], {}, 340);
}

function costScatter(verdicts) {
  const cost = (v) => (v.provenance ? v.provenance.cost_usd ?? null : null), tokens = (v) => (v.provenance ? v.provenance.tokens_out ?? null : null);
  const price = verdicts.some((v) => cost(v) !== null) ? [cost, "US dollars"] : [tokens, "tokens written"];
  const known = verdicts.filter((v) => price[0](v) !== null);
  if (!known.length) return noChart("Cost", "No cost chart: no candidate states its cost or tokens.");
  const traces = [...grouped(known, (v) => v.status)].map(([status, rows]) => ({
    x: rows.map(price[0]), y: rows.map((v) => (v.status === ACCEPTED ? speedup(v) ?? 0 : 0)), mode: "markers", name: words(status),
    marker: { color: FILLS[status], size: 8, opacity: 0.8 }, hoverinfo: "text", hovertext: rows.map((v) => plain(shortName(v)) + "<br>" + plain(v.generator)),
  }));
  return chart("Cost", "Cost of each candidate and its speedup; what is not accepted, or not timed, lies at 0.", traces,
    { xaxis: { title: { text: price[1] }, rangemode: "tozero" }, yaxis: { title: { text: "speedup" }, rangemode: "tozero" } }, 340);
}

function rubricRadar(verdicts) {
  const placed = verdicts.filter((v) => v.rubric && Object.keys(v.rubric).length > 2);
  if (!placed.length) {
    const known = unique(verdicts.flatMap((v) => Object.entries(v.rubric || {}).map(([name, place]) => words(name) + " " + place)));
    return noChart("Kernel rubric", verdicts.length === 1 && known.length
      ? "Places that the record states: " + known.join(", ") + " (of 4). A radar needs three axes." : "No radar: the records state fewer than three axes of the rubric.");
  }
  const traces = placed.slice(0, 6).map((v, i) => {
    const axes = Object.keys(v.rubric);
    return { type: "scatterpolar", theta: [...axes, axes[0]].map(words), r: [...axes, axes[0]].map((name) => v.rubric[name]), fill: "toself",
      name: plain(shortName(v)), line: { color: SERIES[i] }, fillcolor: SERIES[i] + "33" };
  });
  return chart("Kernel rubric", "Places from 1 to 4 on the Standard Kernel Rubric.", traces, { polar: true }, 340);
}

// What a generator reaches: each area is one accepted kernel. An unknown level lies at 0.
function profileRadar(profile) {
  const cells = (profile.cells || []).filter((cell) => cell.on_frontier);
  if (!cells.length) return noChart("Kernel rubric", "No radar: " + profile.summary + ".");
  const axes = ["complexity", "representation", "hardware", "performance", "automation"];
  const traces = cells.slice(0, 6).map((cell, i) => ({
    type: "scatterpolar", theta: [...axes, axes[0]], r: [...cell.levels, cell.levels[0]].map((level) => level ?? 0), fill: "toself",
    name: plain(cell.line + " " + cell.kernel), line: { color: SERIES[i] }, fillcolor: SERIES[i] + "33",
  }));
  return chart("Kernel rubric", "Levels on the frontier, " + profile.device + ": each area is one accepted kernel; an unknown level lies at 0.", traces, { polar: true }, 380);
}

function speedupDots(verdicts) {
  const timed = verdicts.filter((v) => v.timing).sort((a, b) => speedup(a) - speedup(b));
  if (!timed.length) return noChart("Speedups", "No speedups: no candidate was timed.");
  const shown = timed.map((v) => v.timing[0]);
  return chart("Speedups", "Against " + unique(shown.map((t) => t.baseline)).join(", ") + ", with 95 % intervals; right of the line is faster.", [{
    x: shown.map((t) => t.speedup), y: timed.map((v, i) => plain(shortName(v)) + "\u200b".repeat(i % 7)), mode: "markers",
    error_x: { type: "data", symmetric: false, color: SERIES[7], array: shown.map((t) => t.speedup_high - t.speedup), arrayminus: shown.map((t) => t.speedup - t.speedup_low) },
    marker: { size: 9, color: timed.map((v) => FILLS[v.status]) }, hoverinfo: "text", hovertext: timed.map((v) => interval(v.timing[0]) + " " + words(v.status)),
  }], { xaxis: { title: { text: "speedup" }, rangemode: "tozero" },
    shapes: [{ type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { dash: "dot", color: SERIES[7] } }] }, 110 + 26 * timed.length);
}
