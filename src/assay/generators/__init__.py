"""Generators: what makes candidates of a task, and what decides which to ask for next.

    candidate_generator.py    the contract of what a search asks: a request -> a proposal
    generator_registry.py     every generator, by name
    completion/               a language model behind an HTTP endpoint
    agent/                    a coding agent in a folder
    knowledge/                facts about devices, and past attempts that are alike
    strategies/               what a search asks for next
    candidate_source.py       the contract: a task -> a candidate, or the reason why there is none
    model_module.py           a task's module rewritten as a candidate's
    eager_source.py           the reference's own torch calls
    inductor_cpp_source.py    the C++ that torch.compile writes for a CPU, as text
    inductor_module.py        reads the module that Inductor writes
    inductor_process.py       the process in which a reference is compiled
    strategies/               what a search asks for next
    knowledge/                hardware pages, past attempts that are alike, prompts' context

The rule: no candidate code is imported or run here. A reference is run in a process of its own.
"""
