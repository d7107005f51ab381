// What others claim of kernels: rechecked, beside what was found; imported, beside the status here.
const MARKS = ["impossible", "cheat", "wrong", "failed", "doubtful", "overstated", "noise", "unknown", "understated", "confirmed"];

function claimsPage() {
  const marks = MARKS.filter((mark) => CLAIMS.some((one) => one.mark === mark));
  return [
    el("h1", {}, DATA.title),
    el("p", { class: "soft" }, CLAIMS.length + " claims, each beside what was measured. Only confirmed and understated claims hold."),
    el("div", { class: "chips" }, marks.map((mark) => el("span", { class: "tile" },
      el("b", {}, CLAIMS.filter((one) => one.mark === mark).length + " of " + CLAIMS.length), chip(mark)))),
    dataTable({ caption: "Claimed and measured", rows: CLAIMS, columns: CLAIM_COLUMNS }),
  ];
}

const CLAIM_COLUMNS = [
  { title: "mark", value: (one) => MARKS.indexOf(one.mark), cell: (one) => chip(one.mark) },
  { title: "candidate", value: (one) => one.claim.candidate || one.claim.where, cell: claimLink, wide: true },
  { title: "task", value: (one) => one.claim.task || "" },
  { title: "device", value: (one) => one.claim.device || "" },
  { title: "claimed speedup", number: true, value: (one) => one.claim.speedup ?? null, cell: (one) => (one.claim.speedup ? times(one.claim.speedup) : null) },
  { title: "measured speedup", number: true, value: (one) => (one.measured ? one.measured.speedup : null), cell: (one) => (one.measured ? interval(one.measured) : null) },
  { title: "claimed time", number: true, value: (one) => one.claim.time_us ?? null, cell: (one) => (one.claim.time_us ? microseconds(one.claim.time_us) : null) },
  { title: "measured time", number: true, value: (one) => (one.measured ? one.measured.time_us : null), cell: (one) => (one.measured ? microseconds(one.measured.time_us) : null) },
  { title: "claimed rate", value: (one) => one.claim.bytes_per_s ?? one.claim.flops_per_s ?? null, cell: claimedRate },
  { title: "status", value: (one) => one.status || "", cell: (one) => (one.status ? chip(one.status) : null) },
  { title: "why", value: (one) => one.reason, cell: (one) => el("div", {}, one.findings.map((found) => el("div", {}, found.text))), wide: true },
];

function claimLink(one) {
  const name = one.claim.candidate || one.claim.where;
  const known = VERDICTS.some((v) => v.number === one.entry);
  return known ? el("a", { href: link("verdict", one.entry) }, name) : name;
}
function claimedRate(one) {
  const said = [];
  if (one.claim.bytes_per_s) said.push(significant(one.claim.bytes_per_s / 1e9) + " GB/s");
  if (one.claim.flops_per_s) said.push(significant(one.claim.flops_per_s / 1e12) + " TFLOP/s");
  return said.join(", ") || null;
}

// Claims that came with imported candidates. They are no verdicts: the status beside them is Assay's own.
function importedClaims(rows) {
  const claimed = rows.filter((v) => v.provenance && v.provenance.claimed);
  if (!claimed.length) return [];
  const of = (v) => v.provenance.claimed;
  const answer = (said) => (said === undefined || said === null ? null : said ? "yes" : "no");
  const caption = claimed.length + " of " + rows.length + " candidates come with claims of their source, which count as no verdict";
  return [section("Claimed by others", rows === VERDICTS ? gainsWithinNoise() : null, dataTable({ caption, rows: claimed, columns: [
    { title: "candidate", value: shortName, cell: verdictLink, wide: true },
    { title: "task", value: (v) => v.task, cell: (v) => taskLink(v.task) },
    { title: "source", value: (v) => of(v).source },
    { title: "claimed to run", value: (v) => answer(of(v).ran) },
    { title: "claimed correct", value: (v) => answer(of(v).correct) },
    { title: "claimed speedup", number: true, value: (v) => of(v).speedup ?? null, cell: (v) => (of(v).speedup ? times(of(v).speedup) : null) },
    { title: "claimed device", value: (v) => of(v).device || null },
    { title: "status here", value: (v) => STATUSES.indexOf(v.status), cell: (v) => chip(v.status) },
  ] }))];
}

// What the claims of each source come to: said once, on the overview.
function gainsWithinNoise() { return (DATA.claimed_gains || []).map((said) => el("p", {}, said + ".")); }
