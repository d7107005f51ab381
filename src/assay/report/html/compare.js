// Two candidates, or two generators, side by side.
function comparePage(first, second) {
  const find = (number, usual) => VERDICTS.find((v) => String(v.number) === number) || usual;
  const a = find(first, VERDICTS[0]), b = find(second, VERDICTS.find((v) => v !== a && v.task === a.task) || VERDICTS[VERDICTS.length - 1]);
  const choose = (label, id, chosen, other) => [el("label", { for: id }, label), el("select", { id, change(event) { location.hash = other(event.target.value); } },
    VERDICTS.map((v) => el("option", { value: v.number, selected: v === chosen }, v.task + ": " + shortName(v))))];
  return [
    el("h1", {}, "Compare"),
    el("div", { class: "controls" }, choose("First", "first", a, (n) => link("compare", n, b.number)), choose("Second", "second", b, (n) => link("compare", a.number, n))),
    el("p", {}, comparison(a, b)),
    sideBySide(a, b),
    section("Times", a.task === b.task ? densities([a, b]) : missing("No common chart: the candidates are of different tasks.")),
    section("Workloads that went differently", differingWorkloads(a, b)),
    generatorComparison(),
  ].filter(Boolean);
}

// Both intervals are of ratios to the same baseline: only where they do not touch a difference is shown.
function comparison(a, b) {
  if (a === b) return "Both are the same candidate.";
  if (a.task !== b.task) return "The candidates are of different tasks: their times cannot be compared.";
  if (!a.timing || !b.timing) return "No time is compared: " + [a, b].filter((v) => !v.timing).map(shortName).join(" and ") + " was not timed.";
  const [s, t] = [a.timing[0], b.timing[0]];
  if (s.baseline !== t.baseline || s.cache !== t.cache) return "The times have different baselines or caches.";
  const ratio = " (" + interval(s) + " and " + interval(t) + " against " + s.baseline + ")";
  if (s.speedup_low > t.speedup_high) return shortName(a) + " is faster" + ratio + ".";
  if (t.speedup_low > s.speedup_high) return shortName(b) + " is faster" + ratio + ".";
  return "No difference shown" + ratio + ": the intervals overlap.";
}

function sideBySide(a, b) {
  const worst = (v) => { const used = (v.workloads || []).map((w) => w.budget_used ?? null).filter((x) => x !== null); return used.length ? share(Math.max(...used)) : null; };
  const rows = [["candidate", verdictLink], ["generator", (v) => generatorLink(v.generator)], ["language", (v) => v.language], ["status", (v) => chip(v.status)],
    ["right", (v) => v.correct], ["honest", (v) => v.honest], ["coverage", (v) => (v.coverage ? v.coverage.answered + " of " + v.coverage.asked : null)],
    ["largest share of an error budget", worst], ["time", (v) => (v.timing ? microseconds(v.timing[0].candidate_us) : null)],
    ["speedup", (v) => (v.timing ? interval(v.timing[0]) : null)], ["findings", (v) => (v.evidence || []).length], ["reason", (v) => v.reason]];
  const caption = "The two candidates";
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "what"), el("th", { scope: "col" }, "first"), el("th", { scope: "col" }, "second"))),
    el("tbody", {}, rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), [a, b].map((v) => el("td", { class: "wide" }, value(v) ?? "-")))))));
}

function differingWorkloads(a, b) {
  if (a.task !== b.task) return missing("The candidates are of different tasks.");
  const key = (w) => [w.sizes, w.dtype, w.layout, w.values, w.direction].join(" ");
  const of = new Map((b.workloads || []).map((w) => [key(w), w]));
  const shared = (a.workloads || []).filter((w) => of.has(key(w)));
  const rows = shared.filter((w) => of.get(key(w)).outcome !== w.outcome).map((w) => ({ what: key(w), first: w.outcome, second: of.get(key(w)).outcome }));
  if (!rows.length) return missing("None of the " + shared.length + " workloads that both were asked.");
  return dataTable({ caption: rows.length + " of " + shared.length + " workloads that both were asked", rows, columns: [
    { title: "workload", value: (row) => row.what, wide: true }, { title: "first", value: (row) => row.first, cell: (row) => chip(row.first) },
    { title: "second", value: (row) => row.second, cell: (row) => chip(row.second) }] });
}

function generatorComparison() {
  if (GENERATORS.length < 2) return null;
  const host = el("div");
  const selects = [0, 1].map((i) => el("select", { "aria-label": "Generator " + (i + 1), change: refresh }, GENERATORS.map((name, k) => el("option", { value: name, selected: k === i }, name))));
  function refresh() {
    const [a, b] = selects.map((one) => one.value);
    const rows = TASKS.map((task) => {
      const [x, y] = [a, b].map((name) => VERDICTS.filter((v) => v.task === task && v.generator === name));
      return { task, a: x, b: y, better: Math.sign((count(x, ACCEPTED) > 0) - (count(y, ACCEPTED) > 0)) };
    }).filter((row) => row.a.length && row.b.length);
    const cell = (list) => count(list, ACCEPTED) + " of " + list.length + " accepted";
    host.replaceChildren(el("p", {}, "Of " + rows.length + " tasks that both tried, only the first solves " + rows.filter((r) => r.better > 0).length + ", only the second " + rows.filter((r) => r.better < 0).length + "."),
      dataTable({ caption: "Tasks that both tried", rows, columns: [{ title: "task", value: (r) => r.task, cell: (r) => taskLink(r.task) },
        { title: "first", value: (r) => count(r.a, ACCEPTED), cell: (r) => cell(r.a) }, { title: "second", value: (r) => count(r.b, ACCEPTED), cell: (r) => cell(r.b) },
        { title: "solved by", value: (r) => ["second only", r.a.length && count(r.a, ACCEPTED) ? "both" : "neither", "first only"][r.better + 1] }] }));
  }
  refresh();
  return section("Generators", el("div", { class: "controls" }, selects), host);
}
