// Elements and words. The rule: text becomes text nodes only; nothing here reads a string as markup.
const DATA = JSON.parse(document.getElementById("report-data").textContent);
const VERDICTS = DATA.verdicts || [];
for (const v of VERDICTS) v.workloads = (v.workloads || []).map((w) => ({ ...DATA.usual_workload, ...w }));
const CLAIMS = DATA.claims || [];
const ACCEPTED = "accepted";
const TONES = {
  accepted: "good", ok: "good", yes: "good",
  suspicious: "doubt", refused: "doubt", unknown: "doubt",
  not_run: "ours", invalid_task: "ours",
  dishonest: "bad", incorrect: "bad", build_failed: "bad", crashed: "bad", timed_out: "bad",
  out_of_memory: "bad", wrong: "bad", no: "bad",
  confirmed: "good", understated: "good", noise: "doubt", doubtful: "doubt",
  impossible: "bad", cheat: "bad", failed: "bad", overstated: "bad",
};

// Characters that are not seen, or that turn the direction of a line, are written as escapes.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
function visible(text) {
  return String(text).replace(UNSEEN, (one) => "\\u" + one.charCodeAt(0).toString(16).padStart(4, "0"));
}

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return node;
}

// Own keys only: a candidate may be called `constructor`.
function tone(word) { return Object.hasOwn(TONES, word) ? TONES[word] : ""; }
function chip(word) { return el("span", { class: "chip " + tone(word) }, words(word)); }
function words(name) { return String(name).replaceAll("_", " "); }
function missing(text) { return el("p", { class: "missing" }, text); }
function section(title, ...children) {
  return el("section", {}, el("h2", { tabindex: "-1" }, title), children);
}

function link(page, ...parts) {
  return "#/" + [page, ...parts].map((part) => encodeURIComponent(String(part))).join("/");
}
function verdictLink(v) { return el("a", { href: link("verdict", v.number) }, shortName(v)); }
function taskLink(id) { return el("a", { href: link("task", id) }, id); }
function generatorLink(name) { return el("a", { href: link("generator", name) }, name); }

// What all names have in common in front, folders only, is left out.
const SHARED = (() => {
  const folders = VERDICTS.map((v) => v.name.split("/").slice(0, -1));
  if (folders.length < 2) return folders.length ? folders[0].length : 0;
  let shared = 0;
  while (folders.every((f) => f.length > shared && f[shared] === folders[0][shared])) shared += 1;
  return shared;
})();
function shortName(v) { return v.name.split("/").slice(SHARED).join("/") || "(no name)"; }

function unique(values) { return [...new Set(values)]; }
function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return groups;
}
function count(rows, status) { return rows.filter((v) => v.status === status).length; }
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return !sorted.length ? null : sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
function sum(values) { return values.reduce((a, b) => a + b, 0); }

const STATUSES = [...DATA.statuses, "open"].filter((s) => VERDICTS.some((v) => v.status === s));
const GENERATORS = unique(VERDICTS.map((v) => v.generator));
const TASKS = DATA.tasks.map((task) => task.id);

// Figures: one way to write each.
function significant(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 0.01) return value.toExponential(1);
  return size >= 99.95 ? value.toFixed(0) : size >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}
function microseconds(us) {
  if (us < 999.5) return significant(us) + " us";
  return us < 999500 ? significant(us / 1e3) + " ms" : significant(us / 1e6) + " s";
}
function share(value) {
  if (value === null || value === undefined) return "-";
  return value > 99.995 ? significant(value) + " x" : significant(100 * value) + " %";
}
function percent(k, n) { return n ? Math.round((100 * k) / n) + " %" : "-"; }
function times(value) { return value.toFixed(2) + "x"; }
function speedup(v) { return v.timing ? v.timing[0].speedup : null; }
function interval(t) { return times(t.speedup) + " [" + t.speedup_low.toFixed(2) + " " + t.speedup_high.toFixed(2) + "]"; }
