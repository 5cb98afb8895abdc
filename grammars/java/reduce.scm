; Definitions: what can go when its name is found nowhere else.

([
    (class_declaration name: (_) @def.name)
    (interface_declaration name: (_) @def.name)
    (enum_declaration name: (_) @def.name)
    (record_declaration name: (_) @def.name)
    (annotation_type_declaration name: (_) @def.name)
    (method_declaration name: (_) @def.name)
    (field_declaration declarator: (variable_declarator name: (_) @def.name))
    (local_variable_declaration declarator: (variable_declarator name: (_) @def.name))
    (enum_constant name: (_) @def.name)
    (import_declaration (scoped_identifier name: (_) @def.name))
    (type_parameters (type_parameter (type_identifier) @def.name))
  ] @def.unit)

; Splices: the inside of a block in the place of its statement.

[
  ([
      (if_statement consequence: (block) @splice.inner)
      (if_statement alternative: (block) @splice.inner)
      (for_statement body: (block) @splice.inner)
      (enhanced_for_statement body: (block) @splice.inner)
      (while_statement body: (block) @splice.inner)
      (do_statement body: (block) @splice.inner)
      (labeled_statement (block) @splice.inner)
      (synchronized_statement body: (block) @splice.inner)
      (try_statement body: (block) @splice.inner)
      (try_with_resources_statement body: (block) @splice.inner)
      (try_statement (catch_clause body: (block) @splice.inner))
      (try_statement (finally_clause (block) @splice.inner))
      (expression_statement (method_invocation arguments: (argument_list (lambda_expression body: (block) @splice.inner))))
      (local_variable_declaration declarator: (variable_declarator value: (lambda_expression body: (block) @splice.inner)))
    ] @splice.outer)
  (block (block) @splice.inner @splice.outer)
  (class_body (class_declaration body: (class_body) @splice.inner) @splice.outer)
]

; Lifts: a call in the place of the statement that it is in, ...

([
    (if_statement condition: (parenthesized_expression (method_invocation) @lift))
    (while_statement condition: (parenthesized_expression (method_invocation) @lift))
    (enhanced_for_statement value: (method_invocation) @lift)
    (return_statement [(method_invocation) (object_creation_expression)] @lift)
    (local_variable_declaration declarator: (variable_declarator value: [(method_invocation) (object_creation_expression)] @lift))
    (throw_statement (object_creation_expression) @lift)
    (yield_statement (method_invocation) @lift)
    (expression_statement (assignment_expression right: (method_invocation) @lift))
  ] @lift.outer (#set! suffix ";"))
; ... and a part that is of another class than the whole.
[
  (block (switch_expression body: (switch_block (switch_rule (_) [(expression_statement) (block) (throw_statement)] @lift))) @lift.outer)
  (block (switch_expression body: (switch_block (switch_block_statement_group (_) (statement) @lift))) @lift.outer)
  ([
      (for_statement init: (local_variable_declaration) @lift)
      (catch_type . (_) @lift)
      (generic_type . (_) @lift)
      (array_type element: (_) @lift)
    ] @lift.outer)
]

; Rewrites: one rule of a switch is all of them.
((switch_block (switch_rule (_) . (_) @_value)) @rewrite (#set! text "{ default -> {_value} }"))

; Groups: a method returns what it hands to another one.
((method_declaration) @group.scope (#set! group "argument"))
((method_declaration type: (_) @group) (#set! group "argument") (#set! text "Object"))
((return_statement (method_invocation arguments: (argument_list . (_) @_argument .))) @group
  (#set! group "argument") (#set! text "return {_argument};"))
