// The overview, the list of verdicts and the list of tasks.
function overviewPage() {
  const n = VERDICTS.length, byTask = grouped(VERDICTS, (v) => v.task), byGenerator = grouped(VERDICTS, (v) => v.generator);
  const several = GENERATORS.length > 1;
  return [
    el("h1", {}, DATA.title),
    el("p", { class: "soft" }, "Suite " + DATA.suite + ": " + n + " candidates of " + TASKS.length + " tasks. Only accepted counts as success." + untimed()),
    el("div", { class: "chips" }, STATUSES.map((status) => el("a", { class: "tile", href: link("verdicts", status) },
      el("b", {}, count(VERDICTS, status) + " of " + n), chip(status), " ", percent(count(VERDICTS, status), n)))),
    cheatSection(),
    ...importedClaims(VERDICTS),
    el("div", { class: "pair" }, statusBars("By task", byTask), el("div", {}, several ? statusBars("By generator", byGenerator) : null, fastCurves(GENERATORS))),
    section("Tasks", countTable("Candidates by task and status", "task", byTask, taskLink)),
    section("Generators", several ? null : el("p", { class: "soft" }, "All candidates have one generator: ", generatorLink(GENERATORS[0]), "."),
      several ? countTable("Candidates by generator and status", "generator", byGenerator, generatorLink) : null),
    section("Task by generator", coverageGrid()),
    section("Robustness", robustness("Shape robustness by " + (several ? "generator" : "task"), several ? byGenerator : byTask)),
    section("Speed and limits", el("div", { class: "pair" }, roofline(VERDICTS), costScatter(VERDICTS))),
    section("Rounds", transitions(VERDICTS)),
  ];
}

// Said at once where no page can state a speed.
function untimed() {
  if (VERDICTS.some((v) => v.timing)) return "";
  const reasons = unique(VERDICTS.map((v) => v.timing_reason).filter(Boolean));
  return " No speed is stated: nothing was timed" + (reasons.length === 1 ? " (" + reasons[0] + ")." : ".");
}

// The best candidate of each task and generator, in the colour of its status, as a link.
function coverageGrid() {
  const best = (rows) => [...rows].sort((a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || (speedup(b) || 0) - (speedup(a) || 0))[0];
  const cell = (task, name) => {
    const rows = VERDICTS.filter((v) => v.task === task && v.generator === name);
    if (!rows.length) return "-";
    const one = best(rows);
    const text = count(rows, ACCEPTED) + " of " + rows.length + (one.status === ACCEPTED && one.timing ? ", " + times(speedup(one)) : "");
    return el("a", { class: "chip " + tone(one.status), href: link("verdict", one.number), title: words(one.status) + ": " + shortName(one) }, text);
  };
  const caption = "Accepted candidates of each task; the colour is the best status, the link its verdict";
  return el("div", { class: "scroll grid", tabindex: "0", role: "region", "aria-label": caption }, el("table", {}, el("caption", {}, caption),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "task"), GENERATORS.map((name) => el("th", { scope: "col" }, generatorLink(name))))),
    el("tbody", {}, TASKS.map((task) => el("tr", {}, el("th", { scope: "row" }, taskLink(task)), GENERATORS.map((name) => el("td", {}, cell(task, name))))))));
}

function verdictsPage(status = "") {
  const rows = STATUSES.includes(status) ? VERDICTS.filter((v) => v.status === status) : VERDICTS;
  const choice = el("select", { id: "status", change() { location.hash = link("verdicts", ...(choice.value ? [choice.value] : [])); } },
    el("option", { value: "" }, "every status"), STATUSES.map((one) => el("option", { value: one, selected: one === status }, words(one))));
  return [
    el("h1", {}, "Verdicts"),
    el("div", { class: "controls" }, el("label", { for: "status" }, "Status "), choice),
    verdictTable(rows, rows.length + " of " + VERDICTS.length + " candidates", "name", "task", ...(GENERATORS.length > 1 ? ["generator"] : []), "status", "coverage", "speedup", "reason"),
  ];
}

function tasksPage() {
  const rows = DATA.tasks.map((task) => ({ ...task, verdicts: VERDICTS.filter((v) => v.task === task.id) }));
  const fastest = (row) => Math.max(...row.verdicts.filter((v) => v.status === ACCEPTED && v.timing).map(speedup));
  return [el("h1", {}, "Tasks"), dataTable({ caption: "Tasks with candidates", rows, columns: [
    { title: "task", value: (row) => row.id, cell: (row) => taskLink(row.id) },
    { title: "what it computes", value: (row) => row.title || "", wide: true },
    { title: "candidates", number: true, value: (row) => row.verdicts.length },
    { title: "accepted", number: true, value: (row) => count(row.verdicts, ACCEPTED), cell: (row) => count(row.verdicts, ACCEPTED) + " of " + row.verdicts.length },
    { title: "dishonest", number: true, value: (row) => count(row.verdicts, "dishonest") },
    { title: "best speedup", number: true, value: (row) => (Number.isFinite(fastest(row)) ? fastest(row) : null),
      cell: (row) => (Number.isFinite(fastest(row)) ? times(fastest(row)) : null) },
  ] })];
}
