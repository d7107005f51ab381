"""Slices: from a test that calls a function to the one call that becomes a task, by its syntax.

straight_line: the statements that lead to a call, with loops and branches resolved.
tuple_names: names that stand for tuples, replaced by what is in them.
moved_inputs: tensors that a script makes where it moves its inputs.
device_free: the same statements without devices, seeds and foreign generators of tensors.
call_slice: of those the ones that the call needs, with sizes as names of the module.
dropout_off: the call with dropout switched off, where the function can do that.
optimizer_step: a call that gives an optimizer, as the step that it takes.
drawn_law: how a function draws that does nothing else.
function_source: the source of a task from a slice.
"""
