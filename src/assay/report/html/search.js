// A search: best so far over trials, who was made from whom, what it cost, and what was decided.
const SEARCH = DATA.search || null;

function searchPage() {
  if (!SEARCH) return null;
  const results = SEARCH.results || [], attempts = SEARCH.attempts || [];
  const won = results.filter((one) => one.winner).length;
  return [
    el("h1", {}, "Search"),
    el("p", { class: "soft" }, "Strategy " + SEARCH.strategy + ", " + SEARCH.generators.join(", ") + ", seed " + (SEARCH.seed || 0) + ": " + attempts.length +
      " attempts; " + won + " of " + results.length + " tasks have a confirmed winner. Spent: " + spentWords(SEARCH.spent || {}, SEARCH.budget || {}) + "."),
    dataTable({ caption: "What was found; only a confirmed candidate is a winner", rows: results, columns: RESULT_COLUMNS }),
    section("Best so far", el("div", { class: "pair" }, searchCurves(attempts), searchCost(attempts))),
    section("Lineage", lineageChart(attempts), dataTable({ caption: "Every attempt", rows: attempts, columns: ATTEMPT_COLUMNS, tall: true })),
    section("Decisions", dataTable({ caption: "What was decided, and why", rows: SEARCH.decisions || [], columns: DECISION_COLUMNS })),
  ];
}

const RESULT_COLUMNS = [
  { title: "task", value: (one) => one.task, cell: (one) => (TASKS.includes(one.task) ? taskLink(one.task) : one.task) },
  { title: "winner", value: (one) => one.winner || "", cell: (one) => (one.winner ? attemptOf(one.winner) : chip("none")) },
  { title: "best in the search", number: true, value: (one) => (one.best ? one.best.speedup ?? null : null),
    cell: (one) => (one.best && one.best.speedup ? times(one.best.speedup) : null) },
  { title: "attempts", number: true, value: (one) => one.attempts },
  { title: "accepted", number: true, value: (one) => one.accepted, cell: (one) => one.accepted + " of " + one.attempts },
  { title: "not trusted", number: true, value: (one) => one.untrusted },
  { title: "below the limit", number: true, value: (one) => one.below_limit },
  { title: "why", value: (one) => one.reason, wide: true },
  { title: "ended", value: (one) => one.stopped || "", wide: true },
];
const ATTEMPT_COLUMNS = [
  { title: "#", number: true, value: (one) => one.number },
  { title: "task", value: (one) => one.task },
  { title: "move", value: (one) => one.move },
  { title: "made from", value: (one) => (one.made_from || []).join(" "), cell: (one) => (one.made_from || []).map((number) => "#" + number).join(" ") || null },
  { title: "generator", value: (one) => one.generator },
  { title: "status", value: (one) => one.status, cell: attemptStatus },
  { title: "speedup", number: true, value: (one) => one.speedup ?? null,
    cell: (one) => (one.speedup ? times(one.speedup) + " [" + one.low.toFixed(2) + " " + one.high.toFixed(2) + "]" : null), mark: "high" },
  { title: "of the limit", number: true, value: (one) => one.limit_share ?? null, cell: (one) => (one.limit_share ? share(one.limit_share) : null) },
  { title: "tokens", number: true, value: (one) => (one.spent || {}).tokens || 0 },
  { title: "dollars", number: true, value: (one) => (one.spent || {}).dollars || 0, cell: (one) => significant((one.spent || {}).dollars || 0) },
  { title: "seconds", number: true, value: (one) => (one.spent || {}).seconds || 0, cell: (one) => significant((one.spent || {}).seconds || 0) },
  { title: "reason", value: (one) => one.reason || "", wide: true },
];
const DECISION_COLUMNS = [
  { title: "task", value: (one) => one.task, cell: (one) => one.task || "all" },
  { title: "decision", value: (one) => one.decision, cell: (one) => chip(one.decision) },
  { title: "attempt", number: true, value: (one) => one.attempt ?? null, cell: (one) => (one.attempt === undefined || one.attempt === null ? null : "#" + one.attempt) },
  { title: "why", value: (one) => one.reason, wide: true },
];

function attemptStatus(one) {
  const shown = chip(one.below_limit ? "below the limit" : one.status);
  const known = VERDICTS.some((v) => v.number === one.entry);
  return known ? el("a", { href: link("verdict", one.entry) }, shown) : shown;
}
function attemptOf(id) {
  const found = VERDICTS.find((v) => v.id === id);
  return found ? verdictLink(found) : id;
}
function spentWords(spent, budget) {
  const parts = ["tokens", "dollars", "seconds", "trials"].filter((name) => spent[name] || Object.hasOwn(budget, name))
    .map((name) => significantOr(spent[name] || 0) + (Object.hasOwn(budget, name) ? " of " + budget[name] : "") + " " + name);
  return parts.join(", ") || "nothing";
}
function significantOr(value) { return Number.isInteger(value) ? String(value) : significant(value); }

// The lower end of the best interval of each task, over its attempts.
function searchCurves(attempts) {
  const tasks = grouped(attempts.filter((one) => one.best), (one) => one.task);
  if (!tasks.size) return noChart("Best so far", "No curve: no attempt was accepted and timed.");
  const traces = [...tasks].map(([task, rows], i) => ({
    x: rows.map((one) => attempts.filter((other) => other.task === task && other.number <= one.number).length), y: rows.map((one) => one.best),
    mode: "lines+markers", name: plain(task), line: { shape: "hv", color: SERIES[i % SERIES.length], width: 2 }, marker: { size: 5 },
  }));
  return chart("Best so far", "Lower end of the best interval of each task, over its attempts; above the line is faster than the first baseline.", traces,
    { xaxis: { title: { text: "attempts of the task" }, rangemode: "tozero" }, yaxis: { title: { text: "speedup" }, rangemode: "tozero" },
      shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 1, y1: 1, line: { dash: "dot", color: SERIES[7] } }] }, 340);
}

function searchCost(attempts) {
  const units = [["dollars", "US dollars"], ["tokens", "tokens"], ["seconds", "seconds of the generators"]];
  const found = units.find(([name]) => attempts.some((one) => (one.spent || {})[name]));
  if (!found) return noChart("Cost", "No cost: no attempt states any.");
  let total = 0;
  const spent = attempts.map((one) => (total += (one.spent || {})[found[0]] || 0));
  const accepted = attempts.map((one, i) => attempts.slice(0, i + 1).filter((other) => other.status === ACCEPTED && !other.below_limit).length);
  return chart("Cost", "What all attempts cost together, and how many of them were accepted by then.", [
    { x: spent, y: accepted, mode: "lines+markers", line: { shape: "hv", color: SERIES[0], width: 2 }, marker: { size: 5 }, name: "accepted", hoverinfo: "x+y" },
  ], { xaxis: { title: { text: found[1] }, rangemode: "tozero" }, yaxis: { title: { text: "accepted attempts" }, rangemode: "tozero" } }, 340);
}

// A dot for each attempt, at 0 where it does not count, and a line from each to what it was made from.
function lineageChart(attempts) {
  if (!attempts.some((one) => (one.made_from || []).length)) return noChart("Lineage", "No lineage: no attempt was made from another.");
  const height = (one) => (one.status === ACCEPTED && !one.below_limit ? one.speedup || 0 : 0);
  const byNumber = new Map(attempts.map((one) => [one.number, one])), x = [], y = [];
  for (const one of attempts) for (const parent of one.made_from || []) {
    x.push(parent, one.number, null);
    y.push(height(byNumber.get(parent)), height(one), null);
  }
  const dots = [...grouped(attempts, (one) => (one.below_limit ? "below the limit" : one.status))].map(([status, rows]) => ({
    x: rows.map((one) => one.number), y: rows.map(height), mode: "markers", name: words(status), marker: { color: FILLS[status] || SERIES[7], size: 9 },
    hoverinfo: "text", hovertext: rows.map((one) => "#" + one.number + " " + plain(one.task) + ", " + plain(one.move)),
  }));
  return chart("Lineage", "Each dot is an attempt, at its speedup; what does not count lies at 0. Lines lead from a candidate to those made from it.",
    [{ x, y, mode: "lines", line: { color: SERIES[7], width: 1 }, hoverinfo: "skip", showlegend: false }, ...dots],
    { xaxis: { title: { text: "attempt" } }, yaxis: { title: { text: "speedup" }, rangemode: "tozero" } }, 340);
}
