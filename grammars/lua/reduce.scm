; Definitions: what can go when its name is found nowhere else.

([
    (function_declaration name: [
      (identifier) @def.name
      (dot_index_expression field: (_) @def.name)
      (method_index_expression method: (_) @def.name)
    ])
    (variable_declaration (assignment_statement (variable_list . name: (identifier) @def.name .)))
    (assignment_statement (variable_list . name: (dot_index_expression field: (_) @def.name) .))
    (field name: (identifier) @def.name)
  ] @def.unit)

; Rewrites: a statement becomes what is inside its block.

([
    (if_statement consequence: (block) @_body)
    (if_statement alternative: (_ consequence: (block) @_body))
    (if_statement alternative: (_ body: (block) @_body))
    (while_statement body: (block) @_body)
    (for_statement body: (block) @_body)
    (repeat_statement body: (block) @_body)
    (do_statement body: (block) @_body)
    (function_declaration body: (block) @_body)
  ] @rewrite (#set! text "{_body}"))

; A statement becomes one of its expressions, which is one no more when nothing takes it.
([
    (if_statement condition: (_) @_value)
    (if_statement alternative: (_ condition: (_) @_value))
    (while_statement condition: (_) @_value)
    (repeat_statement condition: (_) @_value)
    (for_statement clause: (_ [start: (_) @_value end: (_) @_value]))
    (for_statement clause: (_ (expression_list value: (_) @_value)))
    (assignment_statement (variable_list name: [
      (bracket_index_expression field: (_) @_value)
      (bracket_index_expression table: (_) @_value)
    ]))
  ] @rewrite (#set! text "_={_value}"))
([
    (block (function_call arguments: (arguments (_) @_value)) @rewrite)
    (chunk (function_call arguments: (arguments (_) @_value)) @rewrite)
    (block (function_call arguments: (arguments (table_constructor (field value: (_) @_value)))) @rewrite)
    (chunk (function_call arguments: (arguments (table_constructor (field value: (_) @_value)))) @rewrite)
  ] (#set! text "_={_value}"))
; Parameters go with the arguments of all calls.

[
  (function_declaration name: (identifier) @param.fn parameters: (_) @param.list)
  (function_call name: (identifier) @param.fn arguments: (_) @param.list)
]

; Aliases: local a = b; c(a)  becomes  c(b)

((variable_declaration (assignment_statement (variable_list . name: (identifier) @alias.name .)
  (expression_list . value: (_) @alias.text .))) @alias.unit)
