; Definitions: what can go when its name is found nowhere else.

([
    (function_declaration name: (_) @def.name)
    (method_declaration name: (_) @def.name)
    (type_declaration (type_spec name: (_) @def.name))
    (type_declaration (type_alias name: (_) @def.name))
    (var_declaration (var_spec name: (_) @def.name))
    (const_declaration (const_spec name: (_) @def.name))
    (const_spec name: (_) @def.name)
    (short_var_declaration left: (expression_list (identifier) @def.name))
    (field_declaration name: (_) @def.name)
    (method_elem name: (_) @def.name)
    (import_spec path: (_ (interpreted_string_literal_content) @def.name))
    (import_spec name: (package_identifier) @def.name)
  ] @def.unit)

; Splices: the inside of a block in the place of its statement.

[
  ([
      (for_statement body: (block) @splice.inner)
      (labeled_statement (for_statement body: (block) @splice.inner))
      (expression_statement (call_expression function: (func_literal body: (block) @splice.inner)))
      (expression_statement (call_expression arguments: (argument_list (func_literal body: (block) @splice.inner))))
      (go_statement (call_expression function: (func_literal body: (block) @splice.inner)))
      (defer_statement (call_expression function: (func_literal body: (block) @splice.inner)))
    ] @splice.outer)
  (statement_list (block) @splice.inner @splice.outer)
  ; Not one behind an else.
  (statement_list (if_statement consequence: (block) @splice.inner) @splice.outer)
  (statement_list (if_statement alternative: (block) @splice.inner) @splice.outer)
]

; Lifts: a part in the place of the statement.

[
  (statement_list (if_statement initializer: (_) @lift) @lift.outer)
  (statement_list (if_statement condition: (call_expression) @lift) @lift.outer)
  ([
      (expression_switch_statement [(expression_case (statement_list) @lift) (default_case (statement_list) @lift)])
      (type_switch_statement [(type_case (statement_list) @lift) (default_case (statement_list) @lift)])
      (select_statement [(communication_case (statement_list) @lift) (default_case (statement_list) @lift)])
      (select_statement (communication_case communication: (_) @lift))
      (for_statement (for_clause initializer: (_) @lift))
      (for_statement (range_clause right: (call_expression) @lift))
      (labeled_statement (_statement) @lift)
      (short_var_declaration right: (expression_list . (call_expression) @lift .))
      (var_declaration (var_spec value: (expression_list . (call_expression) @lift .)))
      (assignment_statement right: (expression_list . (call_expression) @lift .))
      (return_statement (expression_list (call_expression) @lift))
      (go_statement (call_expression) @lift)
      (defer_statement (call_expression) @lift)
    ] @lift.outer)
]
