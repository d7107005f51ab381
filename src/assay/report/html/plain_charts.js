// Charts without the charting script: bars, histograms, heat maps and radars as plain elements. The rule:
// labels were escaped for that script (`plain`), so they are read back, and become text nodes.
function plainChart(traces, layout) {
  const drawing = { bar: plainBars, histogram: plainHistogram, heatmap: plainHeatmap, scatterpolar: plainLevels }[traces[0].type];
  return drawing ? drawing(traces, layout) : null;
}
function labelText(text) {
  return String(text).replaceAll("\u200b", "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
function scrolled(caption, ...children) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, children);
}

function plainBars(traces) {
  const rows = traces[0].y.map((name, i) => ({ name: labelText(name), parts: traces.map((one) => ({ of: one, n: one.x[i] })).filter((part) => part.n) })).reverse();
  const most = Math.max(1, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part.n, 0)));
  const used = traces.filter((one) => one.x.some((n) => n));
  return el("div", {},
    el("p", { class: "legend" }, used.map((one) => el("span", {}, el("i", { style: "background:" + one.marker.color }), labelText(one.name)))),
    el("div", { class: "bars tall", tabindex: "0", role: "region", "aria-label": "Bars" }, rows.map((row) => [el("span", {}, row.name), el("div", {},
      row.parts.map((part) => el("i", { style: "background:" + part.of.marker.color + ";width:" + (100 * part.n) / most + "%", title: part.n + " " + labelText(part.of.name) })),
      row.parts.map((part) => part.n + " " + labelText(part.of.name)).join(", "))])));
}

function plainHistogram(traces, layout) {
  const { start, size } = traces[0].xbins, [low, high] = layout.xaxis.range;
  const left = (x) => (100 * (x - low)) / (high - low) + "%";
  const counts = new Map();
  for (const x of traces[0].x) counts.set(Math.floor((x - start) / size), (counts.get(Math.floor((x - start) / size)) || 0) + 1);
  const most = Math.max(...counts.values());
  return el("div", {}, el("p", { class: "soft" }, "Upwards: " + layout.yaxis.title.text + ", at most " + most + " in a bar. Across: " + layout.xaxis.title.text + "."),
    el("div", { class: "histogram" },
      [...counts].map(([bin, n]) => el("i", { style: "left:" + left(start + bin * size) + ";width:calc(" + (100 * size) / (high - low) + "% - 1px);height:" + (100 * n) / most + "%", title: String(n) })),
      (layout.shapes || []).map((line) => el("b", { style: "left:" + left(line.x0) })),
      layout.xaxis.tickvals.map((tick, i) => el("small", { style: "left:" + left(tick) }, layout.xaxis.ticktext[i]))));
}

function plainHeatmap([trace]) {
  const shade = (z) => (z === null ? "transparent" : z === 1 ? "#7fc796" : z >= 0.5 ? "#f0d37a" : "#d9777c");
  const rows = trace.y.map((name, i) => el("tr", {}, el("th", { scope: "row" }, labelText(name)),
    trace.z[i].map((z, j) => el("td", { style: "background:" + shade(z) + (z === null ? "" : ";color:#111") }, trace.text[i][j] || "-")))).reverse();
  return scrolled("Heat map", el("table", { class: "heat" }, el("caption", {}, "Green: every one; yellow: half or more; red: fewer"),
    el("thead", {}, el("tr", {}, el("th", {}), trace.x.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)));
}

function plainLevels(traces) {
  const axes = traces[0].theta.slice(0, -1);
  return scrolled("Levels", el("table", {}, el("thead", {}, el("tr", {}, el("th", {}), axes.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, traces.map((one) => el("tr", {}, el("th", { scope: "row" }, labelText(one.name)), axes.map((name) => el("td", { class: "number" }, one.r[one.theta.indexOf(name)] ?? "-")))))));
}
