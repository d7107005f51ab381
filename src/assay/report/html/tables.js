// Tables that sort by any column and filter by any word.
// A column: title, value(row) to sort by, cell(row) to show (the value where left out), number, wide, mark.
function dataTable({ caption, columns, rows, filter = rows.length > 8, tall = false }) {
  let shown = [...rows];
  let sorted = null, descending = false, wanted = "";
  const body = el("tbody");
  const counted = el("span", { class: "soft", "aria-live": "polite" });
  const cells = new Map(rows.map((row) => [row, tableRow(columns, row, extremes(columns, rows))]));

  function refresh() {
    shown = rows.filter((row) => cells.get(row).textContent.toLowerCase().includes(wanted));
    if (sorted) shown.sort((a, b) => compared(sorted.value(a), sorted.value(b)) * (descending ? -1 : 1));
    body.replaceChildren(...shown.map((row) => cells.get(row)));
    counted.textContent = shown.length + " of " + rows.length + " rows";
  }
  const heads = columns.map((column) => {
    const head = el("th", { scope: "col", class: column.number ? "number" : null }, el("button", {
      type: "button",
      click() {
        descending = sorted === column ? !descending : Boolean(column.number);
        sorted = column;
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        refresh();
      },
    }, column.title));
    return head;
  });
  const box = el("input", {
    type: "search", class: "filter", placeholder: "Filter", "aria-label": "Filter: " + caption,
    input() { wanted = box.value.toLowerCase(); refresh(); },
  });
  refresh();
  return el("div", {},
    filter ? el("div", { class: "controls" }, box, counted) : null,
    el("div", { class: "scroll" + (tall ? " tall" : ""), tabindex: "0", role: "region", "aria-label": caption },
      el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body)));
}

function tableRow(columns, row, marks) {
  return el("tr", {}, columns.map((column) => {
    const shown = column.cell ? column.cell(row) : column.value(row);
    const mark = marks.has(column) && column.value(row) !== null ? marks.get(column)(column.value(row)) : "";
    const kind = [column.number ? "number" : "", column.wide ? "wide" : "", mark].join(" ").trim();
    return el("td", { class: kind || null }, shown === null || shown === "" ? "-" : shown);
  }));
}

// Best green, worst red, in columns that ask for it ("high" or "low" is better).
function extremes(columns, rows) {
  const marks = new Map();
  for (const column of columns.filter((one) => one.mark)) {
    const values = rows.map(column.value).filter((value) => value !== null);
    const low = Math.min(...values), high = Math.max(...values);
    if (values.length < 2 || low === high) continue;
    const [best, worst] = column.mark === "high" ? [high, low] : [low, high];
    marks.set(column, (value) => (value === best ? "best" : value === worst ? "worst" : ""));
  }
  return marks;
}

// What has no value comes last in rising order.
function compared(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

const COLUMNS = {
  name: { title: "candidate", value: shortName, cell: verdictLink, wide: true },
  task: { title: "task", value: (v) => v.task, cell: (v) => taskLink(v.task) },
  generator: { title: "generator", value: (v) => v.generator, cell: (v) => generatorLink(v.generator) },
  language: { title: "language", value: (v) => v.language },
  status: { title: "status", value: (v) => STATUSES.indexOf(v.status), cell: (v) => chip(v.status) },
  coverage: { title: "coverage", number: true, value: (v) => (v.coverage ? v.coverage.share : null),
    cell: (v) => (v.coverage ? v.coverage.answered + " of " + v.coverage.asked : null) },
  speedup: { title: "speedup", number: true, value: speedup, cell: (v) => (v.timing ? interval(v.timing[0]) : null) },
  reason: { title: "reason", value: (v) => v.reason || "", wide: true },
};

function verdictTable(rows, caption, ...names) {
  return dataTable({ caption, rows, columns: names.map((name) => COLUMNS[name]), filter: rows.length > 5 });
}

// Counts by status, one row a group, with the denominator beside each.
function countTable(caption, title, groups, cell) {
  const rows = [...groups].map(([name, verdicts]) => ({ name, verdicts }));
  const columns = [
    { title, value: (row) => row.name, cell: (row) => cell(row.name) },
    { title: "candidates", number: true, value: (row) => row.verdicts.length },
    ...STATUSES.map((status) => ({
      title: words(status), number: true, value: (row) => count(row.verdicts, status),
      cell: (row) => (count(row.verdicts, status) ? count(row.verdicts, status) + " of " + row.verdicts.length : null),
    })),
  ];
  return dataTable({ caption, columns, rows });
}
