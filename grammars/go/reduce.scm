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
    (var_spec name: (_) @def.name)
    (type_spec name: (_) @def.name)
    (type_alias name: (_) @def.name)
    (parameter_declaration name: (_) @def.name)
    (variadic_parameter_declaration name: (_) @def.name)
    (type_parameter_declaration name: (_) @def.name)
  ] @def.unit)
; One name of several: b of  for a, b := range c   var a, b int,  and that of a receiver: func (a *T) f(). The rest
; of  for _, b := range c  would declare nothing.
([
    (range_clause left: (expression_list (_) @_first . (identifier) @def.unit @def.name .))
    (var_spec name: (_) name: (identifier) @def.unit @def.name)
    (method_declaration receiver: (parameter_list (parameter_declaration name: (identifier) @def.unit @def.name)))
  ] (#not-eq? @_first "_"))

; Bodies: what panics needs no result.

([
    (function_declaration result: (_) body: (_) @body)
    (method_declaration result: (_) body: (_) @body)
    (func_literal result: (_) body: (_) @body)
  ] (#set! text "{panic(0)}"))

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
      (send_statement value: (call_expression) @lift)
      (import_spec_list . (import_spec) @lift .)
      (var_spec_list . (var_spec) @lift .)
      (variadic_argument (_) @lift)
    ] @lift.outer)
  ; func f() (int)  becomes  func f() int
  (_ result: (parameter_list . (parameter_declaration !name type: (_) @lift) .) @lift.outer)
]

; Rewrites: what the template makes of it.

; for _, a := range b { c(a) }  becomes  a := b[0]; c(a)
([
    (for_statement (range_clause left: (expression_list . (identifier) @_left .) right: (_) @_value) body: (_) @_body)
    (for_statement (range_clause left: (expression_list (_) . (identifier) @_left .) right: (_) @_value) body: (_) @_body)
  ] @rewrite (#set! text "{_left} := {_value}[0]\n{_body.inside}"))
; for a := b; c; d { e(a) }  and  if a := b; c { e(a) }  become  a := b; e(a)
([
    ((for_statement (for_clause initializer: (_) @_first) body: (_) @_body) @rewrite)
    ; Not one behind an else.
    (statement_list (if_statement initializer: (_) @_first consequence: (_) @_body) @rewrite)
    (statement_list (if_statement initializer: (_) @_first alternative: (block) @_body) @rewrite)
  ] (#set! text "{_first}\n{_body.inside}"))
; switch a := b; { case c: d(a) }  becomes  a := b; d(a),  and so do the cases of other statements.
([
    (expression_switch_statement initializer: (_) @_first (_ (statement_list) @_body))
    (type_switch_statement initializer: (_) @_first (_ (statement_list) @_body))
    (select_statement (communication_case communication: (_) @_first (statement_list) @_body))
  ] @rewrite (#set! text "{_first}\n{_body}"))
; switch a := b.(type) { case c: d(a) }  becomes  a := b.(c); d(a)  or  a := b; d(a)
((type_switch_statement alias: (_) @_name value: (_) @_value (type_case . type: (_) @_type (statement_list) @_body)) @rewrite
  (#set! text "{_name} := {_value}.({_type})\n{_body}"))
((type_switch_statement alias: (_) @_name value: (_) @_value (_ (statement_list) @_body)) @rewrite
  (#set! text "{_name} := {_value}\n{_body}"))
; A statement that never ends needs no result: the last  return a, b  of a function becomes  for{}
([
    (function_declaration body: (block (statement_list (return_statement (expression_list)) @rewrite .)))
    (method_declaration body: (block (statement_list (return_statement (expression_list)) @rewrite .)))
    (func_literal body: (block (statement_list (return_statement (expression_list)) @rewrite .)))
  ] (#set! text "for{}"))

; Groups: what only makes sense together.

; func f() int { return 1 }  becomes  func f() { return }
([(function_declaration) (method_declaration) (func_literal)] @group.scope (#set! group "no result"))
([
    (function_declaration result: (_) @group)
    (method_declaration result: (_) @group)
    (func_literal result: (_) @group)
  ] (#set! group "no result") (#set! text ""))
((return_statement (_)) @group (#set! group "no result") (#set! text "return"))
; func f() (int, error) { return 1, nil }  becomes  func f() (error) { return nil }  or  func f() (int) { return 1 }
([(function_declaration) (method_declaration) (func_literal)] @group.scope (#set! group "first result"))
([
    (function_declaration result: [(parameter_list . (_) . (_) @_rest .) (parameter_list . (_) . (_) @_rest . (_) @_rest .)] @group)
    (method_declaration result: [(parameter_list . (_) . (_) @_rest .) (parameter_list . (_) . (_) @_rest . (_) @_rest .)] @group)
    (func_literal result: [(parameter_list . (_) . (_) @_rest .) (parameter_list . (_) . (_) @_rest . (_) @_rest .)] @group)
  ] (#set! group "first result") (#set! text "({_rest})"))
((return_statement [(expression_list . (_) . (_) @_rest .) (expression_list . (_) . (_) @_rest . (_) @_rest .)]) @group (#set! group "first result") (#set! text "return {_rest}"))
([(function_declaration) (method_declaration) (func_literal)] @group.scope (#set! group "last result"))
([
    (function_declaration result: [(parameter_list . (_) @_rest . (_) .) (parameter_list . (_) @_rest . (_) @_rest . (_) .)] @group)
    (method_declaration result: [(parameter_list . (_) @_rest . (_) .) (parameter_list . (_) @_rest . (_) @_rest . (_) .)] @group)
    (func_literal result: [(parameter_list . (_) @_rest . (_) .) (parameter_list . (_) @_rest . (_) @_rest . (_) .)] @group)
  ] (#set! group "last result") (#set! text "({_rest})"))
((return_statement [(expression_list . (_) @_rest . (_) .) (expression_list . (_) @_rest . (_) @_rest . (_) .)]) @group (#set! group "last result") (#set! text "return {_rest}"))
; func (a *T) f(b int) { }  a.f(b)  becomes  func f(b int) { }  f(b)
((method_declaration receiver: (_) @group name: (_) @group.name) (#set! group "method") (#set! text ""))
((call_expression function: (selector_expression field: (_) @group.name @_name) @group) (#set! group "method") (#set! text "{_name}"))
; ... or  func f(a *T, b int) { }  f(a, b)
((method_declaration receiver: (_) @group name: (_) @group.name) (#set! group "receiver") (#set! text ""))
((method_declaration receiver: (_) @_receiver name: (_) @group.name parameters: (_) @group @_parameters)
  (#set! group "receiver") (#set! text "({_receiver.inside}, {_parameters.inside})"))
((call_expression function: (selector_expression operand: (_) @_value field: (_) @group.name @_name) arguments: (_) @_arguments) @group
  (#set! group "receiver") (#set! text "{_name}({_value}, {_arguments.inside})"))
; struct { a, b int }  T{a: 1, b: 2}  becomes  struct { b int }  T{b: 2}
((field_declaration name: (_) @group.name) @group (#set! group "field") (#set! text ""))
((keyed_element key: (literal_element (identifier) @group.name)) @group . "," @group (#set! group "field") (#set! text ""))
(literal_value (keyed_element key: (literal_element (identifier) @group.name)) @group . "}" (#set! group "field") (#set! text ""))
; *T  &T{}  becomes  T  T{}
((pointer_type (type_identifier) @group.name @_name) @group (#set! group "pointer") (#set! text "{_name}"))
((unary_expression operator: "&" operand: (composite_literal type: (type_identifier) @group.name) @_value) @group
  (#set! group "pointer") (#set! text "{_value}"))
; a: for { break a }  becomes  for { break }
((labeled_statement label: (_) @group.name (_) @_statement) @group (#set! group "label") (#set! text "{_statement}"))
((break_statement (_) @group.name) @group (#set! group "label") (#set! text "break"))
((continue_statement (_) @group.name) @group (#set! group "label") (#set! text "continue"))
; type a[T any] struct { b T }  a[int]  becomes  type a struct { b int }  a
([(type_parameter_list) (type_arguments)] @group (#set! group "types") (#set! text ""))
((type_identifier) @group (#match? @group "^[A-Z][A-Z0-9]?$") (#set! group "types") (#set! text "int"))

; Aliases: what a name stands for, wherever it is used.

; type a int; var b a  becomes  var b int
([
    (type_declaration . (type_spec name: (_) @alias.name !type_parameters type: (_) @alias.text) .)
    (type_declaration . (type_alias name: (_) @alias.name !type_parameters type: (_) @alias.text) .)
  ] @alias.unit)
; func f[T any](a T) { }  becomes  func f(a int) { }
((type_parameter_list . (type_parameter_declaration name: (_) @alias.name) .) @alias.unit (#set! text "int"))

; func f(a int) int { b(); return a + 1 } c := f(2)  becomes  b(); c := 2 + 1
((function_declaration name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (statement_list . (return_statement (_) @inline.value) .) .)) @inline.unit)
((function_declaration name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (statement_list . (_)+ @inline.before . (return_statement (_) @inline.value) .) .)) @inline.unit)
((call_expression function: (identifier) @inline.call arguments: (_) @inline.arguments) @inline.expression)

; a := b; c(a)  becomes  c(b)
((short_var_declaration left: (expression_list . (identifier) @alias.name .) right: (expression_list . (_) @alias.text .)) @alias.unit (#set! after))
((assignment_statement left: (expression_list . (identifier) @alias.name .) operator: "=" right: (expression_list . (_) @alias.text .)) @alias.unit (#set! after))

; type a struct { b int } func f(c a) { a{b: c.b} }  becomes  type a int; func f(c a) { c }
((type_spec type: (struct_type (field_declaration_list . (field_declaration name: (_) @group.name type: (_) @_type) .)) @group)
  (#set! group "member") (#set! text "{_type}"))
((composite_literal body: (literal_value . (keyed_element key: (_) @group.name value: (_) @_value) .)) @group (#set! group "member") (#set! text "{_value}"))
((selector_expression operand: (_) @_value field: (_) @group.name) @group (#set! group "member") (#set! text "{_value}"))
