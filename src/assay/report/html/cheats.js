// Candidates that are not honest: who, how, and the line of source that shows it.
const HONESTY_KINDS = new Set(DATA.honesty_kinds || []);
const WEIGHTS = ["convicts", "suspicious"];

// What speaks against the honesty of a candidate, the heaviest first; of one weight what names a line.
function accusations(v) {
  return (v.evidence || []).filter((one) => HONESTY_KINDS.has(one.found.kind) && WEIGHTS.includes(one.found.severity))
    .sort((a, b) => WEIGHTS.indexOf(a.found.severity) - WEIGHTS.indexOf(b.found.severity) || (a.line ? 0 : 1) - (b.line ? 0 : 1));
}

function cheatSection() {
  const cheats = VERDICTS.filter((v) => v.honest === "no"), doubts = VERDICTS.filter((v) => v.honest === "suspicious");
  const said = cheats.length + " of " + VERDICTS.length + " candidates cheated, " + doubts.length + " are suspicious";
  if (!cheats.length && !doubts.length) return section("Cheats", el("p", { class: "soft" }, "None: " + said + "."));
  return section("Cheats", el("div", { class: "cheats" }, dataTable({ caption: said + "; a line opens the source there", rows: [...cheats, ...doubts], columns: [
    COLUMNS.name, COLUMNS.task, ...(GENERATORS.length > 1 ? [COLUMNS.generator] : []),
    { title: "how", value: (v) => accusedOf(v).join(" "), cell: (v) => accusedOf(v).map((kind) => el("span", { class: "chip " + tone(v.honest) }, words(kind))) },
    { title: "what was found", value: whatWasFound, wide: true },
    { title: "where", value: (v) => (place(v) ? place(v).line : null), cell: whereCell },
  ] })));
}

// Only the heaviest kinds: a cheat that also raises a doubt is told by what convicts it.
function accusedOf(v) {
  const found = accusations(v);
  return unique(found.filter((one) => one.found.severity === found[0].found.severity).map((one) => one.found.kind));
}
function whatWasFound(v) {
  const first = accusations(v)[0];
  return first ? first.found.text : v.reason || "";
}
function place(v) { return accusations(v).find((one) => one.line) || null; }
function whereCell(v) {
  const found = place(v), first = accusations(v)[0];
  if (!found) return first && first.found.where ? first.found.where : "its behaviour, no line";
  const file = found.file || 0, source = (v.sources || [])[file];
  const text = source ? source.text.split(/\r?\n/)[found.line - 1] : "";
  return [el("a", { href: link("verdict", v.number, file, found.line) }, ((v.sources || []).length > 1 ? source.path + " " : "") + "line " + found.line),
    el("code", { title: text.trim() }, text.trim())];
}
