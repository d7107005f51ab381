// Chooses the page by the part of the address behind `#`, and answers keys.
const PAGES = {
  "": CLAIMS.length ? claimsPage : overviewPage, overview: VERDICTS.length ? overviewPage : () => null, verdicts: verdictsPage, tasks: tasksPage, task: taskPage, leaderboard: leaderboardPage,
  generator: generatorPage, verdict: verdictPage, compare: comparePage, search: searchPage,
};
const NAV = [...(CLAIMS.length ? [["", "Claims", "a"]] : []), ...(SEARCH ? [["search", "Search", "s"]] : []), ...(CLAIMS.length && !VERDICTS.length ? [] : [
  [CLAIMS.length ? "overview" : "", "Overview", "o"], ["verdicts", "Verdicts", "v"], ["tasks", "Tasks", "t"],
  ["leaderboard", "Leaderboard", "l"], ["compare", "Compare", "c"]])];
const SINGLE = VERDICTS.length === 1 && !CLAIMS.length && !SEARCH;

function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const page = parts[0] === "" && SINGLE ? "verdict" : parts[0];
  const given = parts[0] === "" && SINGLE ? [VERDICTS[0].number] : parts.slice(1);
  const known = Object.hasOwn(PAGES, page);
  forgetCharts();
  const content = known ? PAGES[page](...given) : null;
  const main = document.getElementById("main");
  main.replaceChildren(...(content || [el("h1", {}, "There is no such page"), el("p", {}, el("a", { href: "#/" }, "Overview"))]));
  const title = main.querySelector("h1");
  document.title = title && title.textContent !== DATA.title ? title.textContent + " - " + DATA.title : DATA.title;
  document.getElementById("nav").replaceChildren(...(SINGLE ? [] : NAV.map(([name, label, key]) =>
    el("a", { href: link(name), title: "Key: " + key, "aria-current": name === page ? "page" : null }, label))));
  showFirstMarks(...(page === "verdict" ? given.slice(1) : []));
  performance.mark("page");
  drawCharts();
}
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function setTheme(theme) {
  document.documentElement.setAttribute("data-theme", theme);
  document.getElementById("theme").textContent = theme === "dark" ? "Light" : "Dark";
}
function toggleTheme() {
  setTheme(document.documentElement.getAttribute("data-theme") === "dark" ? "light" : "dark");
  restyleCharts();
}

function help() {
  const rows = [...(SINGLE ? [] : NAV.map(([, label, key]) => [key, label])), ["j / k", "next / previous verdict"],
    ["/", "filter the table"], ["d", "dark or light"], ["?", "this list"], ["Esc", "close"]];
  const dialog = document.getElementById("help");
  dialog.replaceChildren(el("h2", { id: "help-title" }, "Keys"),
    el("dl", {}, rows.map(([key, label]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, label)])),
    el("button", { type: "button", click() { dialog.close(); } }, "Close"));
  dialog.showModal();
}

function neighbour(step) {
  const found = location.hash.match(/^#\/verdict\/(\d+)/);
  const index = found ? VERDICTS.findIndex((v) => v.number === Number(found[1])) + step : 0;
  if (VERDICTS[index] && !SINGLE) location.hash = link("verdict", VERDICTS[index].number);
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("help").open) return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const page = NAV.find(([, , key]) => key === event.key);
  if (page && !SINGLE) location.hash = link(page[0]);
  else if (event.key === "j") neighbour(1);
  else if (event.key === "k") neighbour(-1);
  else if (event.key === "d") toggleTheme();
  else if (event.key === "?") help();
  else if (event.key === "/") {
    const box = document.querySelector(".filter");
    if (box) box.focus();
    event.preventDefault();
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
document.getElementById("theme").addEventListener("click", toggleTheme);
document.getElementById("keys").addEventListener("click", help);
document.getElementById("foot").textContent = "Assay " + DATA.assay + ", level " + DATA.level + ", track " + DATA.track +
  ", device " + DATA.device + (DATA.started_at ? ", started " + new Date(DATA.started_at * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "");
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
window.addEventListener("hashchange", () => { route(); window.scrollTo(0, 0); });
document.addEventListener("keydown", pressed);
window.addEventListener("beforeprint", drawAll);
route();
requestAnimationFrame(() => setTimeout(loadLibrary));
