; Definitions: what can go when its name is found nowhere else.

([
    (function_item name: (_) @def.name)
    (function_signature_item name: (_) @def.name)
    (struct_item name: (_) @def.name)
    (enum_item name: (_) @def.name)
    (union_item name: (_) @def.name)
    (trait_item name: (_) @def.name)
    (type_item name: (_) @def.name)
    (associated_type name: (_) @def.name)
    (mod_item name: (_) @def.name)
    (const_item name: (_) @def.name)
    (static_item name: (_) @def.name)
    (macro_definition name: (_) @def.name)
    (field_declaration name: (_) @def.name)
    (enum_variant name: (_) @def.name)
    (let_declaration pattern: (identifier) @def.name)
    (use_declaration argument: [
      (identifier) @def.name
      (scoped_identifier name: (_) @def.name)
      (use_as_clause alias: (_) @def.name)
    ])
  ] @def.unit)

; Bodies: emptied in one sweep before lop looks inside.

[
  (function_item body: (block) @body)
  (impl_item body: (declaration_list) @body)
  (trait_item body: (declaration_list) @body)
  (mod_item body: (declaration_list) @body)
]

; Lifts: a part in the place of the whole, where the two are not of one class.

; A statement becomes one of its expressions.
([
    (expression_statement [
      (if_expression condition: (_expression) @lift)
      (if_expression condition: (let_condition value: (_) @lift))
      (while_expression condition: (_expression) @lift)
      (while_expression condition: (let_condition value: (_) @lift))
      (for_expression value: (_) @lift)
      (match_expression value: (_) @lift)
      (return_expression (_) @lift)
    ])
    (let_declaration value: (_) @lift)
  ] @lift.outer (#set! suffix ";"))

; Rewrites: what the template makes of it.

; fn f() -> T { a }  becomes  fn f() { }
((function_item name: (_) @_name type_parameters: (_)? @_types parameters: (_) @_parameters return_type: (_)) @rewrite
  (#set! text "fn {_name}{_types}{_parameters} {}"))
; fn f() -> T { a; b }  becomes  fn f() { a; b; }
((function_item (function_modifiers)? @_modifiers name: (_) @_name type_parameters: (_)? @_types
    parameters: (_) @_parameters return_type: (_) body: (block (_)+ @_body)) @rewrite
  (#set! text "{_modifiers} fn {_name}{_types}{_parameters} { {_body}; }"))
; if a { b }  becomes  b;
((expression_statement [
    (if_expression consequence: (block) @_body)
    (if_expression alternative: (else_clause (block) @_body))
    (while_expression body: (block) @_body)
    (loop_expression body: (block) @_body)
    (for_expression body: (block) @_body)
    (match_expression body: (match_block (match_arm value: (block) @_body)))
    (unsafe_block (block) @_body)
    (async_block (block) @_body)
    (block) @_body
  ]) @rewrite (#set! text "{_body.inside};"))
; if let a = b { c } else { d }  becomes  b; c;
((expression_statement (if_expression condition: [(let_condition value: (_) @_value) (_expression) @_value]
  consequence: (_) @_body)) @rewrite (#set! text "{_value};\n{_body.inside};"))

; Parameters go with the arguments of all calls.

[
  (function_item name: (_) @param.fn parameters: (_) @param.list)
  (call_expression function: (identifier) @param.fn arguments: (_) @param.list)
]

; Aliases: let a = b; c(a)  becomes  c(b)

([
    (type_item name: (_) @alias.name !type_parameters type: (_) @alias.text)
    (const_item name: (_) @alias.name value: (_) @alias.text)
    (let_declaration pattern: (identifier) @alias.name value: (_) @alias.text)
    (use_declaration argument: (scoped_identifier name: (_) @alias.name) @alias.text)
  ] @alias.unit)
