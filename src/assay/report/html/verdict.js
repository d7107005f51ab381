// The page of one verdict: the answers, the evidence beside the source, the figures, how to repeat it.
function verdictPage(number) {
  const v = VERDICTS.find((one) => one.number === Number(number));
  if (!v) return null;
  const index = VERDICTS.indexOf(v);
  if (v.status === "open") return [el("h1", {}, shortName(v)), missing("Not judged yet: assay run goes on with the run."), sourceView(v)];
  return [
    SINGLE ? null : el("p", { class: "controls" }, [[-1, "Previous"], [1, "Next"]].map(([step, label]) => (VERDICTS[index + step]
      ? el("a", { href: link("verdict", VERDICTS[index + step].number) }, label) : null))),
    el("h1", {}, shortName(v)),
    el("p", { class: "soft" }, "Task ", taskLink(v.task), ", generator ", generatorLink(v.generator), ", " + v.language + ", " + DATA.device + ", candidate " + v.id),
    el("p", {}, chip(v.status), " " + v.reason),
    badges(v),
    (v.task_remarks || []).map((remark) => el("p", {}, el("span", { class: "chip doubt" }, "remark"), " " + remark)),
    el("div", { class: "pair source" }, section("Evidence", evidenceList(v)), section("Source", sourceView(v))),
    section("Workloads", coverageWords(v), el("div", { class: "pair rows" }, workloadTable(v), errorHistogram(v)), relations(v)),
    v.explanation ? section("How it is wrong", el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "How it is wrong" }, el("pre", { class: "text" }, v.explanation))) : null,
    section("Time", timingTable(v), el("div", { class: "pair" }, densities([v]), roofline([v]))),
    section("Rubric", rubricRadar([v]), [...(v.rubric_remarks || []), ...(v.rubric_reasons || [])].map((reason) => el("p", { class: "soft" }, reason))),
    section("Reproduce", reproduceBox(v)),
    section("Environment", environmentList(v)),
  ].flat().filter(Boolean);
}

function badges(v) {
  const t = v.timing ? v.timing[0] : null;
  const fast = t ? (t.difference === "faster" ? "good" : t.difference === "slower" ? "bad" : "doubt") : "";
  const badge = (title, answer, kind, target) => el("button", { type: "button", class: "badge " + kind, click() { showSection(target); } },
    title + ": " + answer, el("small", {}, "see " + target.toLowerCase()));
  return el("div", { class: "chips" }, badge("right", v.correct, tone(v.correct), "Workloads"), badge("honest", v.honest, tone(v.honest), "Evidence"),
    badge("fast", t ? times(t.speedup) + (t.difference ? ", " + t.difference : "") : "not timed", fast, "Time"));
}
function showSection(title) {
  const found = [...document.querySelectorAll("h2")].find((one) => one.textContent === title);
  if (found) { found.scrollIntoView(); found.focus({ preventScroll: true }); }
}

function evidenceList(v) {
  const order = ["convicts", "suspicious", "note"];
  const found = [...(v.evidence || [])].sort((a, b) => order.indexOf(a.found.severity) - order.indexOf(b.found.severity));
  const own = v.own_share ? el("p", { class: "soft" }, "Share of computing time in the candidate's own code: " + percent(v.own_share.share, 1) + " [" +
    percent(v.own_share.low, 1) + " " + percent(v.own_share.high, 1) + "], " + v.own_share.samples + " samples.") : null;
  if (!found.length) return [missing("No evidence: nothing was found against it."), own];
  return [el("ul", { class: "evidence" }, found.map(({ found: one, file, line }) => el("li", { class: one.severity === "convicts" ? "bad" : one.severity === "suspicious" ? "doubt" : "" },
    el("span", { class: "chip " + (one.severity === "convicts" ? "bad" : one.severity === "suspicious" ? "doubt" : "") }, one.severity + " " + words(one.kind)), " ",
    line ? el("button", { type: "button", click() { showLine(file, line); } }, "line " + line) : one.where ? el("b", {}, one.where) : null,
    one.where || line ? " " : "", one.text))), own];
}
// The line that the address names, else the first that is marked.
function showFirstMarks(file, line) {
  if (line) return showLine(file, line);
  for (const box of document.querySelectorAll(".tall")) {
    const first = box.querySelector(".convicts") || box.querySelector(".marked");
    if (first) box.scrollTop = first.offsetTop - 80;
  }
}
function showLine(file, line) {
  const found = document.getElementById("line-" + file + "-" + line);
  if (found) { found.closest(".tall").scrollTop = found.offsetTop - 80; found.scrollIntoView({ block: "nearest" }); found.classList.add("shown"); }
}

function sourceView(v) {
  const many = (v.sources || []).length > 1;
  if (!v.sources) return missing("The report holds no source.");
  return v.sources.map((source, file) => {
    const marks = grouped((v.evidence || []).filter((one) => (one.file || 0) === file && one.line && one.found.severity !== "note"), (one) => one.line);
    const lines = source.text.replace(/\r?\n$/, "").split(/\r?\n/).map((text, i) => {
      const found = marks.get(i + 1) || [];
      const worst = found.some((one) => one.found.severity === "convicts") ? "marked convicts" : found.length ? "marked" : null;
      return [el("span", { id: "line-" + file + "-" + (i + 1), class: worst }, text || " "),
        found.map((one) => el("b", { class: "note" }, words(one.found.kind) + ": " + one.found.text))];
    });
    return [many ? el("h3", {}, source.path) : null,
      el("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Source " + source.path }, el("pre", { class: "code" }, lines))];
  });
}

function coverageWords(v) {
  const c = v.coverage;
  if (!c) return missing("No workload was planned.");
  const scaled = v.own_workload === "scaled" ? " The task's own workload was asked at a smaller shape." : "";
  return el("p", {}, "Coverage " + percent(c.answered, c.asked) + ": " + c.answered + " of " + c.asked + " workloads answered" + (c.refused ? ", " + c.refused + " refused" : "") + ". " + (c.words || "") + scaled);
}
function workloadTable(v) {
  if (!(v.workloads || []).length) return missing("No workload ran.");
  return dataTable({ caption: v.workloads.length + " workloads", rows: v.workloads, tall: true, columns: [
    { title: "outcome", value: (w) => w.outcome, cell: (w) => chip(w.outcome) },
    { title: "error budget used", number: true, value: (w) => w.budget_used ?? null, cell: (w) => (w.budget_used === undefined ? null : share(w.budget_used)) },
    { title: "sizes", value: (w) => w.sizes }, { title: "dtype", value: (w) => w.dtype }, { title: "layout", value: (w) => w.layout },
    { title: "values", value: (w) => w.values }, { title: "direction", value: (w) => w.direction },
  ] });
}
function relations(v) {
  if (!(v.relations || []).length) return null;
  return dataTable({ caption: "Relations that hold on the reference", rows: v.relations, columns: [
    { title: "relation", value: (r) => r.name }, { title: "holds", value: (r) => String(r.holds), cell: (r) => chip(r.holds ? "yes" : "no") },
    { title: "budget used", number: true, value: (r) => r.error_budget_used ?? null, cell: (r) => share(r.error_budget_used) },
  ] });
}

function timingTable(v) {
  if (!v.timing) return missing("Not timed: " + (v.timing_reason || "no reason was given") + ".");
  const light = v.limits && v.limits.sol_fraction ? el("p", {}, Math.round(100 * v.limits.sol_fraction) + " % of the speed of light (" + v.limits.bound + ").") : null;
  const remarks = unique(v.timing.flatMap((t) => t.remarks || []));
  return [dataTable({ caption: "Medians; the interval is 95 %", rows: v.timing, columns: [
    { title: "baseline", value: (t) => t.baseline }, { title: "cache", value: (t) => t.cache || "" },
    { title: "candidate", number: true, value: (t) => t.candidate_us, cell: (t) => microseconds(t.candidate_us) },
    { title: "baseline", number: true, value: (t) => t.baseline_us, cell: (t) => microseconds(t.baseline_us) },
    { title: "speedup", number: true, value: (t) => t.speedup, cell: interval },
    { title: "shown", value: (t) => t.difference || "" }, { title: "launch-bound", value: (t) => (t.launch_bound === undefined ? "" : t.launch_bound ? "yes" : "no") },
  ] }), light, remarks.map((remark) => el("p", {}, el("span", { class: "chip doubt" }, "remark"), " " + remark)),
  v.timing_reason ? el("p", { class: "soft" }, "Not compared with " + v.timing_reason) : null];
}

function save(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
function reproduceBox(v) {
  const text = (v.commands || []).join("\n");
  const said = el("span", { class: "soft", role: "status" });
  const copy = el("button", { type: "button", async click() {
    try { await navigator.clipboard.writeText(text); said.textContent = "copied"; }
    catch { getSelection().selectAllChildren(box.firstChild); said.textContent = "selected: copy it with Ctrl-C"; }
  } }, "Copy");
  const box = el("div", { class: "command", tabindex: "0", role: "region", "aria-label": "Commands" }, el("pre", {}, text));
  return [box, el("div", { class: "controls" }, copy,
    v.record ? el("button", { type: "button", click() { save("record.json", v.record); } }, "Save record.json") : null,
    (v.sources || []).map((source) => el("button", { type: "button", click() { save(source.path.split("/").pop(), source.text); } }, "Save " + source.path)), said),
  el("p", { class: "soft" }, v.commands && text.includes("--replay") ? "The record fixes the secret, device, level, track and TF32 policy." + (v.record ? " Save it first." : "")
    : "Judging ended before a plan was drawn, so there is nothing to replay.")];
}

function environmentList(v) {
  const e = DATA.environments[v.environment];
  if (!e) return missing("The record states no environment.");
  const d = e.device, clock = d.clock_mhz_max ? ", " + d.clock_mhz_max.toFixed(0) + " MHz" : "";
  const stages = Object.entries(v.stages || {}).sort((a, b) => b[1] - a[1]).slice(0, 5).map(([name, s]) => name + " " + significant(s) + " s").join(", ");
  const rows = [["device", d.name + " (" + d.architecture + ", " + d.cores + " cores" + clock + ", driver " + (d.driver || "none") + ")"], ["threads", e.threads],
    ["Assay", e.assay], ["Python", e.python], ["torch", e.torch], ["compiler", e.compiler], ["platform", e.platform],
    ["layers of the wall", (e.layers_held || []).join(", ") || "none"], ["missing layers", (e.layers_missing || []).join(", ") || "none"],
    ["packages shown", (e.allow_packages || []).join(", ") || "none beside the language's own"],
    ["judging took", v.elapsed_s === undefined ? "not known" : significant(v.elapsed_s) + " s" + (stages ? "; longest: " + stages : "")]];
  return el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}
