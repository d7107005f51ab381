"""Completion: candidates from any endpoint that speaks OpenAI's or Anthropic's API.

    completion_generator.py   the generator: request -> prompt -> chat -> code -> candidate
    completion_options.py     which model, where, how, at what price; configurations in `configs/`
    prompt.py                 messages from versioned templates in `prompts/` and `languages/`
    chat.py                   a request with its key, an answer with its usage
    paid_chat.py              paid answers, then the cassette, then the network
    cassette.py               requests and answers in a file: record, replay, cache
    http_client.py            one chat over HTTP: streamed, tried again, with limits
    waiting.py                pauses between tries, Retry-After, requests a minute
    chat_api.py               the contract of an API
    openai_api.py             chat completions
    anthropic_api.py          messages
    known_apis.py             those that a configuration can name
    prices.py, prices.toml    what tokens cost, with the date of the table
    quirks.py, quirks.toml    parameters that some models refuse
    code_extraction.py        the candidate in an answer
    fenced_blocks.py          the fenced blocks of an answer
    edit_blocks.py            edits of a parent's source

The rule: a key is named by its environment variable; it is never stored, printed or part of a
prompt.
"""
