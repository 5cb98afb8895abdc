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
    (parameter pattern: (identifier) @def.name)
    (type_parameter name: (_) @def.name)
    (const_parameter name: (_) @def.name)
    (lifetime_parameter name: (lifetime (identifier) @def.name))
    (use_declaration argument: [
      (identifier) @def.name
      (scoped_identifier name: (_) @def.name)
      (use_as_clause alias: (_) @def.name)
    ])
  ] @def.unit)
; use a::{b, c::d, e as f};
(use_list [
  (identifier) @def.unit @def.name
  (scoped_identifier name: (_) @def.name) @def.unit
  (use_as_clause alias: (_) @def.name) @def.unit
])

; Bodies: emptied in one sweep before lop looks inside.

; A body that never ends is of any type.
((function_item return_type: (_) body: (block) @body) (#set! text "{loop{}}"))
[
  (function_item body: (block) @body)
  (impl_item body: (declaration_list) @body)
  (trait_item body: (declaration_list) @body)
  (mod_item body: (declaration_list) @body)
]

; Splices: what is inside of an item in its place.

([(mod_item body: (declaration_list) @splice.inner) (impl_item body: (declaration_list) @splice.inner)] @splice.outer)

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
      (match_expression body: (match_block (match_arm value: (_) @lift)))
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
; Without its attribute an item may not be right where it is: both go.
; #[a] fn f() { }  becomes nothing
((attribute_item)+ @rewrite . (_) @rewrite (#set! text ""))
; impl A { fn f(&self, b: u8) { c } }  becomes  fn f(b: u8) { c }
((impl_item body: (declaration_list (function_item name: (_) @_name type_parameters: (_)? @_types
    parameters: [(parameters (self_parameter) . ")") (parameters (self_parameter) . "," . _* @_parameters . ")")]
    "->"? @_rest return_type: (_)? @_rest body: (block) @_rest))) @rewrite
  (#set! text "fn {_name}{_types}({_parameters}) {_rest}"))
; struct A { b: u8 }  becomes  struct A(u8);  struct A { b: u8, c: u8 }  becomes  struct A(u8, u8);
((struct_item name: (_) @_name type_parameters: (_)? @_types
    body: (field_declaration_list . (field_declaration type: (_) @_first) . ","? .)) @rewrite
  (#set! text "struct {_name}{_types}({_first});"))
((struct_item name: (_) @_name type_parameters: (_)? @_types
    body: (field_declaration_list . (field_declaration type: (_) @_first) . "," . (field_declaration type: (_) @_second) . ","? .)) @rewrite
  (#set! text "struct {_name}{_types}({_first}, {_second});"))
; struct A { }  becomes  struct A;  and so does  enum A { B }
([(struct_item name: (_) @_name body: (field_declaration_list)) (enum_item name: (_) @_name) (union_item name: (_) @_name)] @rewrite
  (#set! text "struct {_name};"))
; use a::{b};  becomes  use a::b;
((scoped_use_list path: (_) @_path list: (use_list . (_) @_name . ","? .)) @rewrite (#set! text "{_path}::{_name}"))
; async { a }  becomes  || a
((async_block (block . (_) @_value .)) @rewrite (#set! text "|| {_value}"))

; Unification: all that read the same, in one test.

; impl A<T> { fn f(a: A<T>) -> A<T> }  becomes  impl A<T> { fn f(a: Self) -> Self }
((impl_item type: (generic_type) @_type [
    (where_clause (where_predicate left: (_) @unify @_same))
    body: (declaration_list (function_item return_type: (_) @unify @_same))
    body: (declaration_list (function_item parameters: (parameters (parameter type: (_) @unify @_same))))
  ]) (#eq? @_type @_same) (#set! text "Self"))

; impl A for B<C> { } impl D for B<C> { }  becomes  impl A for u8 { } impl D for u8 { }
((impl_item trait: (_) type: (_) @unify) (#set! text "u8"))

; Groups: edits that only make sense together.

; A type or a trait goes with its implementations.
([
    (struct_item name: (_) @group.name)
    (enum_item name: (_) @group.name)
    (union_item name: (_) @group.name)
    (trait_item name: (_) @group.name)
    (impl_item type: [(type_identifier) @group.name (generic_type type: (_) @group.name)])
    (impl_item trait: [(type_identifier) @group.name (generic_type type: (_) @group.name)])
  ] @group (#set! group "item") (#set! text ""))
; trait A { fn f() -> u8; } impl A for B { fn f() -> u8 { c } }  becomes  trait A { fn f(); } impl A for B { fn f() { c } }
([
    (function_signature_item name: (_) @group.name "->" @group . return_type: (_) @group)
    (function_item name: (_) @group.name "->" @group . return_type: (_) @group)
  ] (#set! group "result") (#set! text ""))

; struct A<T>(T); impl B<A<u8>> for A<C> { }  becomes  impl B<(u8,)> for (C,) { }
((struct_item name: (_) @group.name type_parameters: (type_parameters . (type_parameter) .)) @group (#set! group "tuple") (#set! text ""))
((generic_type type: (_) @group.name type_arguments: (type_arguments . (_type) @_type .)) @group
  (#set! group "tuple") (#set! text "({_type},)"))

; impl<T> A<T> { fn f(T) }  becomes  impl A<u8> { fn f(u8) }, and the same of lifetimes
([
    (impl_item) @group.scope
    (trait_item) @group.scope
    (struct_item) @group.scope
    (enum_item) @group.scope
    (source_file (function_item) @group.scope)
    (mod_item body: (declaration_list (function_item) @group.scope))
  ] (#set! group "concrete"))
((type_parameters [
    ("<" @group . [(type_parameter name: (_) @group.name) (lifetime_parameter name: (lifetime (identifier) @group.name))] @group . ">" @group)
    ([(type_parameter name: (_) @group.name) (lifetime_parameter name: (lifetime (identifier) @group.name))] @group . "," @group)
    ("," @group . [(type_parameter name: (_) @group.name) (lifetime_parameter name: (lifetime (identifier) @group.name))] @group . ">")
  ]) (#set! group "concrete") (#set! text ""))
([
    (_ type: (type_identifier) @group @group.name)
    (_ return_type: (type_identifier) @group @group.name)
    (_ element: (type_identifier) @group @group.name)
    (_ left: (type_identifier) @group @group.name)
    (_ path: [(type_identifier) (identifier)] @group @group.name)
    (type_arguments (type_identifier) @group @group.name)
    (tuple_type (type_identifier) @group @group.name)
    (parameters (type_identifier) @group @group.name)
  ] (#match? @group.name "^[A-Z]") (#not-eq? @group.name "Self") (#set! group "concrete") (#set! text "u8"))
((reference_type (lifetime (identifier) @group.name) @group) (#set! group "concrete") (#set! text ""))
((type_arguments (lifetime (identifier) @group.name) @group) (#set! group "concrete") (#set! text "'_"))

; Parameters go with the arguments of all calls.

[
  (function_item name: (_) @param.fn parameters: (_) @param.list)
  (call_expression function: (identifier) @param.fn arguments: (_) @param.list)
]

; Aliases: let a = b; c(a)  becomes  c(b)

([
    (type_item name: (_) @alias.name !type_parameters type: (_) @alias.text)
    (const_item name: (_) @alias.name value: (_) @alias.text)
    (static_item name: (_) @alias.name value: (_) @alias.text)
    (let_declaration pattern: (identifier) @alias.name value: (_) @alias.text)
    (use_declaration argument: (scoped_identifier name: (_) @alias.name) @alias.text)
  ] @alias.unit)

; mod a { pub fn b() { } } a::b();  becomes  pub fn b() { } b();
((mod_item name: (identifier) @group.name body: (_) @_body) @group (#set! group "module") (#set! text "{_body.inside}"))
([
    (scoped_identifier path: (identifier) @group @group.name . "::" @group)
    (scoped_type_identifier path: (identifier) @group @group.name . "::" @group)
  ] (#set! group "module") (#set! text ""))
(_ path: (scoped_identifier path: (crate) @_crate name: (identifier) @group.name) @group (#set! group "module") (#set! text "{_crate}"))
((use_declaration argument: [
    (scoped_identifier path: (identifier) @group.name)
    (scoped_use_list path: (identifier) @group.name)
    (use_wildcard (identifier) @group.name)
  ]) @group (#set! group "module") (#set! text ""))

; fn f() -> Option<u8> { Some(a) } let b = f()?;  becomes  fn f() -> u8 { a } let b = f();
((generic_type type: (type_identifier) @_type type_arguments: (type_arguments . (_) @_inner .)) @group
  (#eq? @_type "Option") (#set! group "wrapper") (#set! text "{_inner}"))
((call_expression function: (identifier) @_function arguments: (arguments . (_) @_inner .)) @group
  (#eq? @_function "Some") (#set! group "wrapper") (#set! text "{_inner}"))
((tuple_struct_pattern type: (identifier) @_function . "(" . (_) @_inner . ")") @group
  (#eq? @_function "Some") (#set! group "wrapper") (#set! text "{_inner}"))
((try_expression (_) @_inner) @group (#set! group "wrapper") (#set! text "{_inner}"))
((generic_type type: (type_identifier) @_type type_arguments: (type_arguments . (_) @_inner)) @group
  (#eq? @_type "Result") (#set! group "wrapper") (#set! text "{_inner}"))
((call_expression function: (identifier) @_function arguments: (arguments . (_) @_inner .)) @group
  (#eq? @_function "Ok") (#set! group "wrapper") (#set! text "{_inner}"))
((generic_type type: (type_identifier) @_type type_arguments: (type_arguments . (_) @_inner .)) @group
  (#eq? @_type "Box") (#set! group "box") (#set! text "{_inner}"))
((call_expression function: (scoped_identifier path: (identifier) @_type name: (identifier) @_function) arguments: (arguments . (_) @_inner .)) @group
  (#eq? @_type "Box") (#eq? @_function "new") (#set! group "box") (#set! text "{_inner}"))

; struct A { b: C } fn f(a: A)  becomes  fn f(a: u8)
([
    (struct_item name: (_) @group.name !type_parameters)
    (enum_item name: (_) @group.name !type_parameters)
    (union_item name: (_) @group.name !type_parameters)
  ] @group (#set! group "scalar") (#set! text ""))
([
    (_ type: (type_identifier) @group @group.name)
    (_ return_type: (type_identifier) @group @group.name)
    (_ element: (type_identifier) @group @group.name)
    (type_arguments (type_identifier) @group @group.name)
    (tuple_type (type_identifier) @group @group.name)
  ] (#match? @group.name "^[A-Z]") (#not-eq? @group.name "Self") (#set! group "scalar") (#set! text "u8"))

; fn f(a: u8) -> u8 { a + 1 } let b = f(2);  becomes  let b = 2 + 1;
((function_item name: (_) @inline.name parameters: (_) @inline.parameters body: (block . (_) @inline.value .)) @inline.unit)
((function_item name: (_) @inline.name parameters: (_) @inline.parameters body: (block) @inline.value) @inline.unit)
((call_expression function: [
    (identifier) @inline.call
    (scoped_identifier name: (_) @inline.call)
  ] arguments: (_) @inline.arguments) @inline.expression)

; a = b; c(a);  becomes  c(b);
((expression_statement (assignment_expression left: (identifier) @alias.name right: (_) @alias.text)) @alias.unit (#set! after))

; struct A { b: C } fn f(a: A) { A { b: a.b } }  becomes  type A = C; fn f(a: A) { a }
((struct_item name: (_) @_name !type_parameters body: (field_declaration_list . (field_declaration name: (_) @group.name type: (_) @_type) . ","? .)) @group
  (#set! group "member") (#set! text "type {_name} = {_type};"))
((struct_expression body: (field_initializer_list . (field_initializer field: (_) @group.name value: (_) @_value) . ","? .)) @group
  (#set! group "member") (#set! text "{_value}"))
((field_expression value: (_) @_value field: (field_identifier) @group.name) @group (#set! group "member") (#set! text "{_value}"))
