; Rules for the parts of C++ that C does not have.

; Definitions: what can go when its name is found nowhere else.

([
    (class_specifier name: (type_identifier) @def.name body: (_))
    (namespace_definition name: (namespace_identifier) @def.name)
    (alias_declaration name: (_) @def.name)
    (using_declaration [(identifier) @def.name (qualified_identifier name: (identifier) @def.name)])
    (function_definition declarator: (function_declarator declarator: [
      (field_identifier) @def.name
      (qualified_identifier name: (identifier) @def.name)
      (qualified_identifier name: (qualified_identifier name: (identifier) @def.name))
    ]))
    (function_definition declarator: (_ (function_declarator declarator: [
      (identifier) @def.name
      (field_identifier) @def.name
      (qualified_identifier name: (identifier) @def.name)
    ])))
    (field_declaration declarator: (reference_declarator (function_declarator declarator: (field_identifier) @def.name)))
    (template_declaration [
      (class_specifier name: (type_identifier) @def.name)
      (struct_specifier name: (type_identifier) @def.name)
      (function_definition declarator: (function_declarator declarator: (identifier) @def.name))
      (alias_declaration name: (_) @def.name)
      (concept_definition name: (_) @def.name)
      (declaration declarator: [(function_declarator declarator: (identifier) @def.name) (init_declarator declarator: (identifier) @def.name)])
    ])
  ] @def.unit)

; Bodies: emptied in one sweep before lop looks inside.

[
  (class_specifier body: (field_declaration_list) @body)
  (namespace_definition body: (declaration_list) @body)
]

; Splices: the inside of a block in the place of its statement.

([
    (namespace_definition body: (declaration_list) @splice.inner)
    (try_statement body: (compound_statement) @splice.inner)
    (for_range_loop body: (compound_statement) @splice.inner)
  ] @splice.outer)

; Lifts: a statement becomes one of its expressions.

([
    (if_statement condition: (condition_clause value: (_) @lift))
    (while_statement condition: (condition_clause value: (_) @lift))
    (switch_statement condition: (condition_clause value: (_) @lift))
    (do_statement condition: (parenthesized_expression (_) @lift))
    (for_statement initializer: (expression) @lift)
    (for_statement condition: (_) @lift)
    (for_statement update: (_) @lift)
    (for_range_loop right: (_) @lift)
    (return_statement (_) @lift)
    (throw_statement (_) @lift)
  ] @lift.outer (#set! suffix ";"))

; Rewrites: if (a) b;  becomes  a; b;

([
    (if_statement condition: (condition_clause) @_condition consequence: (_) @_body)
    (while_statement condition: (condition_clause) @_condition body: (_) @_body)
  ] @rewrite (#set! text "{_condition.inside};\n{_body}"))

; Groups: what only makes sense together.

; class a { public: int b; };  becomes  struct a { int b; };
((class_specifier) @group.scope (#set! group "access"))
((class_specifier "class" @group body: (_)) (#set! group "access") (#set! text "struct"))
((class_specifier body: (_ (access_specifier) @group . ":" @group)) (#set! group "access") (#set! text ""))

; Parameters of member functions go with the arguments of all calls.

[
  (function_declarator declarator: (field_identifier) @param.fn parameters: (_) @param.list)
  (function_declarator declarator: (qualified_identifier name: (identifier) @param.fn) parameters: (_) @param.list)
  (call_expression function: (field_expression field: (_) @param.fn) arguments: (_) @param.list)
]

; Aliases: using t = int; t a;  becomes  int a;

((alias_declaration name: (_) @alias.name type: (_) @alias.text) @alias.unit)
; template <class T> concept a = b<T>; template <a T> struct s;  becomes  template <b T> struct s;
((template_declaration (concept_definition name: (_) @alias.name (template_function name: (_) @alias.text))) @alias.unit)

; namespace a { struct b; } a::b c;  becomes  struct b; b c;
((namespace_definition name: (namespace_identifier) @group.name body: (_) @_body) @group (#set! group "namespace") (#set! text "{_body.inside}"))
((qualified_identifier scope: (namespace_identifier) @group @group.name . "::" @group) (#set! group "namespace") (#set! text ""))
((using_declaration "namespace" (identifier) @group.name) @group (#set! group "namespace") (#set! text ""))
; try { a(); } catch (...) { b(); }  becomes  a(); b();
((try_statement body: (_) @_body (catch_clause body: (_) @_handler)) @rewrite (#set! text "{_body.inside}\n{_handler.inside}"))
; throw a;  becomes  break;
((throw_statement) @rewrite (#set! text "break;"))

; int b = f<int>(2);  becomes  int b = 2 + 1;
((call_expression function: (template_function name: (_) @inline.call) arguments: (_) @inline.arguments) @inline.expression)

; template <class T> struct a { T b; };  becomes  template <class> struct a { int b; };
((type_parameter_declaration (type_identifier) @alias.name) @alias.unit (#set! text "int") (#set! leave "class"))
; template <class> struct a { }; a<int> b;  becomes  struct a { }; a b;
(template_declaration "template" @group . parameters: (_) @group . [
    (struct_specifier name: (_) @group.name)
    (class_specifier name: (_) @group.name)
    (function_definition declarator: (function_declarator declarator: (identifier) @group.name))
  ] (#set! group "template") (#set! text ""))
((template_type name: (_) @group.name @_name) @group (#set! group "template") (#set! text "{_name}"))
((template_function name: (_) @group.name @_name) @group (#set! group "template") (#set! text "{_name}"))
; template <int a> int f(b<a>); f(b<2>{})  becomes  template <int a> int f(); f<2>()
((function_declarator declarator: (identifier) @group.name @_name
    parameters: (parameter_list . (parameter_declaration type: (template_type)) .)) @group (#set! group "deduced") (#set! text "{_name}()"))
((call_expression function: (identifier) @group.name @_name arguments: (argument_list . (compound_literal_expression
    type: (template_type arguments: (_) @_arguments)) .)) @group (#set! group "deduced") (#set! text "{_name}{_arguments}()"))
; struct a { int b() { } }; a c; c.b();  becomes  struct a { int b; }; a c; c.b;
((function_definition type: (_) @_type declarator: (function_declarator declarator: (field_identifier) @group.name @_name
    parameters: (parameter_list . "(" . ")"))) @group (#set! group "field") (#set! text "{_type} {_name};"))
((call_expression function: (field_expression field: (_) @group.name) @_value) @group (#set! group "field") (#set! text "{_value}"))
; struct a { int b; }; a c; c.b  becomes  using a = int; a c; c
((struct_specifier name: (_) @_name body: (field_declaration_list . (field_declaration type: (_) @_type
  declarator: (field_identifier) @group.name) .)) @group (#set! group "only member") (#set! text "using {_name} = {_type}"))
((field_expression argument: (_) @_value field: (field_identifier) @group.name) @group
  (#set! group "only member") (#set! text "{_value}"))
; struct a { }; a b;  becomes  struct a { } b;
((struct_specifier name: (_) @alias.name @_tag body: (_) @_body) @alias.unit . ";" @alias.unit (#set! text "struct {_tag} {_body}"))
