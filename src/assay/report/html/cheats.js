// Candidates that are not honest: who, how, and the line of source that shows it.
const HONESTY_KINDS = new Set(DATA.honesty_kinds || []);
const WEIGHTS = ["convicts", "suspicious"];
const MOST_WORDS = 180; // characters; the page of the verdict has all

// What speaks against the honesty of a candidate, the heaviest first; of one weight what names a line.
function accusations(v) {
  return (v.evidence || []).filter((one) => HONESTY_KINDS.has(one.found.kind) && WEIGHTS.includes(one.found.severity))
    .sort((a, b) => WEIGHTS.indexOf(a.found.severity) - WEIGHTS.indexOf(b.found.severity) || (a.line ? 0 : 1) - (b.line ? 0 : 1));
}

function cheatSection() {
  const cheats = VERDICTS.filter((v) => v.honest === "no"), doubts = VERDICTS.filter((v) => v.honest === "suspicious");
  const open = count(VERDICTS, "open"), left = open ? ", " + open + " not judged" : "";
  if (open === VERDICTS.length) return section("Cheats", el("p", { class: "soft" }, "Not known: no candidate was judged."));
  const said = cheats.length + " of " + VERDICTS.length + " candidates cheated, " + doubts.length + " of " + VERDICTS.length + " suspicious" + left;
  if (!cheats.length && !doubts.length) return section("Cheats", el("p", { class: "soft" }, "None: " + said + "."));
  return section("Cheats", el("div", { class: "cheats" }, dataTable({ caption: said + "; a line opens the source there", rows: [...cheats, ...doubts], columns: [
    { title: "candidate", value: shortName, cell: whoCell, wide: true },
    { title: "how", value: (v) => accusedOf(v).join(" "), cell: (v) => accusedOf(v).map((kind) => el("span", { class: "chip " + tone(v.honest) }, words(kind))) },
    { title: "where", value: (v) => (place(v) ? place(v).line : null), cell: whereCell },
    { title: "what was found", value: whatWasFound, wide: true },
  ] })));
}

function whoCell(v) {
  return [verdictLink(v), el("small", {}, "task ", taskLink(v.task), ...(GENERATORS.length > 1 ? [", generator ", generatorLink(v.generator)] : []))];
}
// Only the heaviest kinds: a cheat that also raises a doubt is told by what convicts it.
function accusedOf(v) {
  const found = accusations(v);
  return unique(found.filter((one) => one.found.severity === found[0].found.severity).map((one) => one.found.kind));
}
function whatWasFound(v) {
  const first = accusations(v)[0];
  const text = first ? first.found.text : v.reason || "";
  return text.length > MOST_WORDS ? text.slice(0, MOST_WORDS).trimEnd() + "..." : text;
}
function place(v) { return accusations(v).find((one) => one.line) || null; }
function whereCell(v) {
  const found = place(v), first = accusations(v)[0];
  if (!found) return first && first.found.where ? first.found.where : "no line: seen when it ran";
  const file = found.file || 0, source = (v.sources || [])[file];
  const text = source ? source.text.split(/\r?\n/)[found.line - 1] : "";
  return [el("a", { href: link("verdict", v.number, file, found.line) }, (source && v.sources.length > 1 ? source.path + " " : "") + "line " + found.line),
    el("code", { title: text.trim() }, text.trim())];
}
