"""Knowledge: what a generator is told beside the task, found without a network.

    pages/                 hardware pages, one file a family of devices
    device_page.py         the page of a device: limits, instructions, what is fast
    bm25.py                the likeness of texts by their words
    attempt_features.py    what an attempt is about: operators, dtypes, shapes, error signature
    retrieval.py           past attempts that are like a task or a failure
    prompt_context.py      limits, profile, explanation, knowledge and examples in few tokens

The rule: public facts only. Every fact of a page names its source; a past attempt is shown only
where it was accepted.
"""
