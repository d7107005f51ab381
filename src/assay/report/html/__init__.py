"""The report of a run as one HTML file that opens from disk, with no network.

* `report_data`: what the pages show, as plain records; stored in the file once, as JSON
* `gathered_report`: those records, made from entries and judgements
* `shape_robustness`: which shape categories a workload belongs to
* `source_marks`: which line of which source a piece of evidence names
* `reproduce_commands`: the command that repeats one verdict
* `score_curves`: fast_p over p, with its band
* `chart_library`: the charting script of the installed `plotly` package
* `search_section`: curves, lineage, cost and decisions of a search
* `safe_script`: data as JSON that cannot end the element it stands in
* `report_page`: the parts put together into the file

`page.html`, `style.css` and the `.js` files are the page itself: `dom.js` makes elements,
`tables.js` and `charts.js` draw, `plain_charts.js` draws without the charting script, `cheats.js`
lists who is not honest, `overview.js`, `groups.js`, `verdict.js`, `compare.js`, `claims.js` and
`search.js` are the pages, and `router.js` chooses one.
"""
