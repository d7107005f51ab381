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
    inductor_triton_source.py the Triton that torch.compile writes for a GPU, as text
    inductor_triton_module.py reads the module that Inductor writes for a GPU
    inductor_process.py       the process in which a reference is compiled
    one_candidate_generator.py  `eager`, `inductor-cpp` and `inductor-triton` in a search
    templates/                `template-search`: kernels from a task's graph, and their parameters
    mutate_generator.py       `mutate`: small edits of an accepted kernel
    replay_generator.py       `replay`: the candidates of an earlier run once more

The rule: no candidate code is imported or run here. A reference is run in a process of its own.
"""
