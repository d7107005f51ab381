"""The faces of Assay: parse, call, print. No judgement is made here."""
