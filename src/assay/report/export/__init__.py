"""A report in the forms that other programs show.

* `markdown_report`: a summary for a pull request
* `csv_report`: one row a candidate
* `badge`: accepted of all, as an SVG picture
"""
