// A task, a generator, and the leaderboard.
function taskPage(id) {
  const task = DATA.tasks.find((one) => one.id === id);
  if (!task) return null;
  const rows = VERDICTS.filter((v) => v.task === id);
  const remarks = unique(rows.flatMap((v) => v.task_remarks || []));
  return [
    el("h1", {}, "Task " + id),
    el("p", { class: "soft" }, [task.title, ...(task.tags || [])].filter(Boolean).join("; ")),
    remarks.map((remark) => el("p", {}, el("span", { class: "chip doubt" }, "remark"), " " + remark)),
    counts(rows),
    verdictTable(rows, rows.length + " candidates", "name", "generator", "language", "status", "coverage", "speedup", "reason"),
    section("Speed", el("div", { class: "pair" }, speedupDots(rows), roofline(rows))),
    section("Robustness", robustness("Shape robustness by candidate", grouped(rows, shortName))),
    section("Rubric", rubricRadar(rows)),
  ].flat();
}

function counts(rows) {
  return el("div", { class: "chips" }, STATUSES.filter((status) => count(rows, status)).map((status) =>
    el("span", { class: "tile" }, el("b", {}, count(rows, status) + " of " + rows.length), chip(status))));
}

function generatorPage(name) {
  const rows = VERDICTS.filter((v) => v.generator === name);
  if (!rows.length) return null;
  const byTask = grouped(rows, (v) => v.task);
  return [
    el("h1", {}, "Generator " + name),
    counts(rows),
    el("p", {}, costWords(rows)),
    el("div", { class: "pair" }, fastCurves([name]), statusBars("By task", byTask)),
    verdictTable(rows, rows.length + " candidates", "name", "task", "status", "coverage", "speedup", "reason"),
    ...importedClaims(rows),
    section("Robustness", robustness("Shape robustness by task", byTask)),
    section("Rubric", profiles(name)),
    section("Cost and rounds", el("div", { class: "pair" }, costScatter(rows), transitions(rows))),
  ];
}

// Sets of levels that one accepted kernel reached, with the kernel's name.
function profiles(name) {
  const found = (DATA.profiles || []).filter((one) => one.generator === name);
  if (!found.length) return missing("No profile: the records hold no rubric.");
  return found.map((profile) => [
    el("p", {}, profile.summary + " on " + profile.device + ", " + profile.accepted + " of " + profile.candidates + " candidates accepted."),
    profileRadar(profile),
    (profile.cells || []).length ? dataTable({ caption: profile.cells.length + " sets of levels", rows: profile.cells, columns: [
      { title: "levels", value: (c) => c.line }, { title: "frontier", value: (c) => (c.on_frontier ? "yes" : "no") },
      { title: "rate", number: true, value: (c) => c.rate, cell: (c) => c.kernels + " of " + c.candidates },
      { title: "tasks", number: true, value: (c) => c.solved, cell: (c) => c.solved + " of " + c.tasks },
      { title: "kernel", value: (c) => c.kernel }, { title: "task", value: (c) => c.task },
    ] }) : null,
  ]);
}

// What every candidate of a group cost, over the tasks that have an accepted one.
function spent(rows) {
  const solved = unique(rows.filter((v) => v.status === ACCEPTED).map((v) => v.task)).length;
  const total = (name) => {
    const known = rows.map((v) => (v.provenance ? v.provenance[name] ?? null : null)).filter((value) => value !== null);
    return known.length === rows.length ? sum(known) : null;
  };
  const per = (value) => (value === null || !solved ? null : value / solved);
  return { solved, usd: per(total("cost_usd")), tokens: per(total("tokens_out")), tasks: unique(rows.map((v) => v.task)).length };
}
function costWords(rows) {
  const { solved, usd, tokens, tasks } = spent(rows);
  const cost = [usd === null ? "" : "$" + significant(usd), tokens === null ? "" : Math.round(tokens) + " tokens written"].filter(Boolean).join(" and ");
  return solved + " of " + tasks + " tasks have an accepted candidate. " +
    (cost ? cost + " per solved task, failures included." : "Cost per solved task is unknown: not every candidate states its cost or tokens, or none is accepted.");
}

function leaderboardPage() {
  const rows = GENERATORS.map((name) => {
    const verdicts = VERDICTS.filter((v) => v.generator === name), accepted = verdicts.filter((v) => v.status === ACCEPTED);
    return { name, n: verdicts.length, accepted: accepted.length, dishonest: count(verdicts, "dishonest"),
      middle: median(accepted.map(speedup).filter((one) => one !== null)), ...spent(verdicts) };
  });
  const best = VERDICTS.filter((v) => v.status === ACCEPTED && v.timing).sort((a, b) => speedup(b) - speedup(a));
  return [
    el("h1", {}, "Leaderboard"),
    dataTable({ caption: "Generators; best green, worst red", rows: rows.sort((a, b) => b.solved / b.tasks - a.solved / a.tasks || b.accepted / b.n - a.accepted / a.n), columns: [
      { title: "generator", value: (row) => row.name, cell: (row) => generatorLink(row.name) },
      { title: "tasks solved", number: true, mark: "high", value: (row) => row.solved / TASKS.length, cell: (row) => row.solved + " of " + TASKS.length },
      { title: "accepted", number: true, mark: "high", value: (row) => row.accepted / row.n, cell: (row) => row.accepted + " of " + row.n + " (" + percent(row.accepted, row.n) + ")" },
      { title: "dishonest", number: true, mark: "low", value: (row) => row.dishonest / row.n, cell: (row) => row.dishonest + " of " + row.n },
      { title: "median speedup of accepted", number: true, mark: "high", value: (row) => row.middle, cell: (row) => (row.middle === null ? null : times(row.middle)) },
      { title: "$ per solved task", number: true, mark: "low", value: (row) => row.usd, cell: (row) => (row.usd === null ? null : significant(row.usd)) },
      { title: "tokens per solved task", number: true, mark: "low", value: (row) => row.tokens, cell: (row) => (row.tokens === null ? null : Math.round(row.tokens)) },
    ] }),
    el("p", { class: "soft" }, "A task is solved where one candidate of the generator is accepted. Costs count failures. A dash: not known."),
    section("How fast", fastCurves(GENERATORS)),
    section("Fastest accepted candidates", best.length ? verdictTable(best.slice(0, 20), "The first " + Math.min(20, best.length) + " of " + best.length + " that are accepted and timed", "name", "task", "generator", "speedup")
      : missing("No candidate is accepted and timed.")),
  ];
}
