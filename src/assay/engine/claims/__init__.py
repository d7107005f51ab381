"""Someone's claims about kernels, read and made ready to be checked.

    claim_columns.py  which column of a table says what, in which unit
    claim_table.py    the rows of a CSV, JSON or JSON-lines file, or of a folder
    claim_list.py     rows with the task of the suite and the candidate they are about
    claim_floors.py   the boards that a claim may mean, and the floor of its task on them
    claim_findings.py a claim beside its verdict and its limits

The rule: every row gets an answer. What cannot be read or judged says why.
"""
