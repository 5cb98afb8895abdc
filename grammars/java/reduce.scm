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
    (type_parameter (type_identifier) @def.name)
    (constant_declaration declarator: (variable_declarator name: (_) @def.name))
    (variable_declarator name: (_) @def.name)
    (annotation_type_element_declaration name: (_) @def.name)
    (formal_parameter name: (_) @def.name)
    (resource name: (_) @def.name)
  ] @def.unit)

; Bodies: what throws needs no value, and sets no final field.

([
    (method_declaration type: (_) @_type body: (block) @body)
    (lambda_expression body: (block) @body)
    (constructor_declaration body: (constructor_body . (explicit_constructor_invocation)? @_first) @body)
  ] (#not-eq? @_type "void") (#set! text "{{_first}throw null;}"))

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
  ; class a { class b { int c; } }  becomes  class a { int c; }
  (class_body (_ body: [(class_body) (interface_body)] @splice.inner) @splice.outer)
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
      (wildcard (_) @lift)
      (labeled_statement (identifier) . (_) @lift)
    ] @lift.outer)
  ; int a = 1;  becomes  int a;
  (_ declarator: (variable_declarator name: (_) @lift value: (_)) @lift.outer)
]

; Rewrites: one rule of a switch is all of them.
((switch_block (switch_rule (_) . (_) @_value)) @rewrite (#set! text "{ default -> {_value} }"))

; Statements lose what is around them and keep more than one part.
([
    (for_statement init: (local_variable_declaration) @_first body: (_) @_body)
    (try_statement body: (_) @_first (catch_clause body: (_) @_body))
    (try_statement body: (_) @_first (finally_clause (_) @_body))
  ] @rewrite (#set! text "{_first}\n{_body}"))
; for (T a : b) { c(a); }  becomes  T a = null; { c(a); }
((enhanced_for_statement type: (_) @_type name: (_) @_name body: (_) @_body) @rewrite
  (#set! text "{_type} {_name} = null;\n{_body}"))
; try (T a = b) { c(a); }  becomes  T a = b; { c(a); }
((try_with_resources_statement resources: (resource_specification . (resource type: (_)) @_first) body: (_) @_body) @rewrite
  (#set! text "{_first};\n{_body}"))
; switch (a) { case 1: b(); c(); break; }  becomes  b(); c();
((switch_expression body: (switch_block (switch_block_statement_group (switch_label) . (_)+ @_body . (break_statement)? .))) @rewrite
  (#set! text "{_body}"))
; A lambda loses what is around its parameter and its value: (int a) -> { return b; }  becomes  a -> b
((lambda_expression parameters: [
    (formal_parameters . (formal_parameter name: (_) @_name) .)
    (inferred_parameters . (_) @_name .)
  ] @rewrite) (#set! text "{_name}"))
((lambda_expression body: (block . [(return_statement (_) @_value) (expression_statement (_) @_value)] .) @rewrite)
  (#set! text "{_value}"))
; enum a { B; int c; }  and  record a(int b) { int c; }  become  class a { int c; }
((enum_declaration name: (_) @_name body: (enum_body (enum_body_declarations) @_body)) @rewrite
  (#set! text "class {_name} {{_body}}"))
([
    (enum_declaration name: (_) @_name)
    (record_declaration name: (_) @_name)
    (annotation_type_declaration name: (_) @_name)
  ] @rewrite (#set! text "class {_name} {}"))
; class a extends b { int c; }  becomes  class a { }
((class_declaration name: (_) @_name) @rewrite (#set! text "class {_name} {}"))
; Integer  becomes  int
((type_identifier) @unify (#any-of? @unify "Boolean" "Byte" "Character" "Double" "Float" "Integer" "Long" "Short") (#set! text "int"))

; Groups: what only makes sense together.

; int f() { return 1; }  becomes  void f() { return; }
([(method_declaration) (lambda_expression)] @group.scope (#set! group "void"))
((method_declaration type: (_) @group) (#not-eq? @group "void") (#set! group "void") (#set! text "void"))
((return_statement (_)) @group (#set! group "void") (#set! text "return;"))
; class a extends b implements c { @Override d() { } }  becomes  class a { d() { } }
((class_declaration) @group.scope (#set! group "supertypes"))
([
    (class_declaration superclass: (_) @group)
    (class_declaration interfaces: (_) @group)
    (modifiers (marker_annotation name: (_) @_name) @group)
  ] (#match? @_name "^Override$") (#set! group "supertypes") (#set! text ""))
; class a<T> { T b; }  a<int[]>  becomes  class a { Object b; }  a
([(type_parameters) (type_arguments)] @group (#set! group "types") (#set! text ""))
((type_identifier) @group (#match? @group "^[A-Z][A-Z0-9]?$") (#set! group "types") (#set! text "Object"))
; a: for (;;) { break a; }  becomes  for (;;) { break; }
((labeled_statement . (_) @group.name (_) @_statement) @group (#set! group "label") (#set! text "{_statement}"))
((break_statement (_) @group.name) @group (#set! group "label") (#set! text "break;"))
((continue_statement (_) @group.name) @group (#set! group "label") (#set! text "continue;"))
; A method returns what it hands to another one.
((method_declaration) @group.scope (#set! group "argument"))
((method_declaration type: (_) @group) (#set! group "argument") (#set! text "Object"))
((return_statement (method_invocation arguments: (argument_list . (_) @_argument .))) @group
  (#set! group "argument") (#set! text "return {_argument};"))

; Aliases: what a name stands for, wherever it is used.

; class a<T extends b> { T c; }  becomes  class a { b c; }
((type_parameters . (type_parameter (type_identifier) @alias.name (type_bound . (_) @alias.text)) .) @alias.unit)
; import a.b.C; C d;  becomes  a.b.C d;
((import_declaration (scoped_identifier name: (_) @alias.name) @alias.text) @alias.unit)

; A class moves out of the method that it is in.
(class_body (_ body: [(block (class_declaration) @globalise) (constructor_body (class_declaration) @globalise)]) @globalise.before)

; throw a;  becomes  break;
((throw_statement) @rewrite (#set! text "break;"))

; int f(int a) { b(); return a + 1; } int c = f(2);  becomes  b(); int c = 2 + 1;
((method_declaration name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (return_statement (_) @inline.value) .)) @inline.unit)
((method_declaration name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (_)+ @inline.before . (return_statement (_) @inline.value) .)) @inline.unit)
((method_invocation name: (_) @inline.call arguments: (_) @inline.arguments) @inline.expression)

; a = b; c(a);  becomes  c(b);
((expression_statement (assignment_expression left: (identifier) @alias.name operator: "=" right: (_) @alias.text)) @alias.unit (#set! after))

; class a { int b() { return 1; } void c() { this.b(); b(); } }  becomes  class a { int b; void c() { this.b; b; } }
((method_declaration type: (_) @_type name: (_) @group.name @_name parameters: (formal_parameters . "(" . ")")) @group
  (#not-eq? @_type "void") (#set! group "field") (#set! text "{_type} {_name};"))
((method_invocation object: (_) @_object name: (_) @group.name @_name arguments: (argument_list . "(" . ")")) @group
  (#set! group "field") (#set! text "{_object}.{_name}"))
((method_invocation !object name: (_) @group.name @_name arguments: (argument_list . "(" . ")")) @group
  (#set! group "field") (#set! text "{_name}"))
