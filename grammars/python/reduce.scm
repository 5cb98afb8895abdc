; Definitions that are not used.
((function_definition name: (identifier) @def.name) @def.unit)
((class_definition name: (identifier) @def.name) @def.unit)

; What is inside takes the place of what is around it.
((if_statement consequence: (block) @splice.inner) @splice.outer)
((if_statement alternative: (_ [consequence: (block) body: (block)] @splice.inner)) @splice.outer)
((for_statement body: (block) @splice.inner) @splice.outer)
((with_statement body: (block) @splice.inner) @splice.outer)
((try_statement body: (block) @splice.inner) @splice.outer)
((try_statement (_ (block) @splice.inner)) @splice.outer)
(module [(function_definition body: (block) @splice.inner) (class_definition body: (block) @splice.inner)] @splice.outer)
(block [(function_definition body: (block) @splice.inner) (class_definition body: (block) @splice.inner)] @splice.outer)
((match_statement body: (block (case_clause consequence: (block) @splice.inner))) @splice.outer)

; Pieces that are statements by themselves.
((if_statement condition: (_) @lift) @lift.outer)
((while_statement condition: (_) @lift) @lift.outer)
((for_statement right: (_) @lift) @lift.outer)
((raise_statement (_) @lift) @lift.outer)
((with_statement (with_clause (with_item value: [(identifier) (attribute) (call)] @lift))) @lift.outer)

; Parameters with their arguments.
(function_definition name: (_) @param.fn parameters: (_) @param.list)
(call function: (identifier) @param.fn arguments: (argument_list) @param.list)
