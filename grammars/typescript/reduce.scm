; The rules of the language that this one extends hold, too. Here is what its parser has other kinds for, and what is about
; types.

; Definitions: what can go when its name is found nowhere else.

([
    (function_declaration name: (_) @def.name)
    (generator_function_declaration name: (_) @def.name)
    (function_signature name: (_) @def.name)
    (class_declaration name: (_) @def.name)
    (abstract_class_declaration name: (_) @def.name)
    (interface_declaration name: (_) @def.name)
    (type_alias_declaration name: (_) @def.name)
    (enum_declaration name: (_) @def.name)
    (internal_module name: (identifier) @def.name)
    (variable_declaration (variable_declarator name: (identifier) @def.name))
    (lexical_declaration (variable_declarator name: (identifier) @def.name))
    (variable_declarator name: (identifier) @def.name)
    (method_definition name: [(property_identifier) (private_property_identifier)] @def.name)
    (method_signature name: [(property_identifier) (private_property_identifier)] @def.name)
    (abstract_method_signature name: [(property_identifier) (private_property_identifier)] @def.name)
    (public_field_definition name: [(property_identifier) (private_property_identifier)] @def.name)
    (property_signature name: [(property_identifier) (private_property_identifier)] @def.name)
    (enum_assignment name: (property_identifier) @def.name)
    (pair key: (property_identifier) @def.name)
    (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @def.name)))
  ] @def.unit)
; A type, and what has no body here, together with  export  and  declare.
([
    (export_statement declaration: (_ name: (type_identifier) @def.name))
    (export_statement declaration: (ambient_declaration (_ name: (_) @def.name)))
    (ambient_declaration (_ name: (_) @def.name))
    (import_statement (import_require_clause . (identifier) @def.name))
    (import_alias . (identifier) @def.name)
  ] @def.unit)

; Bodies: what throws needs no value.

([
    (function_declaration return_type: (type_annotation (_) @_type) body: (_) @body)
    (generator_function_declaration return_type: (type_annotation (_) @_type) body: (_) @body)
    (function_expression return_type: (type_annotation (_) @_type) body: (_) @body)
    (generator_function return_type: (type_annotation (_) @_type) body: (_) @body)
    (arrow_function return_type: (type_annotation (_) @_type) body: (statement_block) @body)
    (method_definition return_type: (type_annotation (_) @_type) body: (_) @body)
  ] (#not-any-of? @_type "void" "any" "unknown" "undefined") (#set! text "{throw 0}"))

; Splices: namespace a { b(); }   declare module "a" { b(); }   declare global { b(); }   become  b();

([
    (expression_statement (internal_module body: (statement_block) @splice.inner))
    (module body: (statement_block) @splice.inner)
    (ambient_declaration [(_ body: (statement_block) @splice.inner) (statement_block) @splice.inner])
    (export_statement declaration: (ambient_declaration (_ body: (statement_block) @splice.inner)))
  ] @splice.outer)

; Lifts: a value in the place of what declares it.

([
    (program (_ (variable_declarator value: (_) @lift)) @lift.outer)
    (statement_block (_ (variable_declarator value: (_) @lift)) @lift.outer)
    ((class_declaration (class_heritage (extends_clause value: (_) @lift))) @lift.outer)
    ((class_declaration body: (class_body (public_field_definition value: (_) @lift))) @lift.outer)
    ((enum_declaration body: (enum_body (enum_assignment value: (_) @lift))) @lift.outer)
  ] (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))

; A declarator or field loses its value, a parameter its default, a specifier its alias. A spread element or argument
; becomes what it spreads.
[
  (variable_declaration (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
  ([
      (public_field_definition name: (_) @lift value: (_))
      (required_parameter pattern: (_) @lift value: (_))
      (object_assignment_pattern left: (_) @lift)
      (pair_pattern value: (identifier) @lift)
      (computed_property_name [(identifier) (string) (number)] @lift)
      (import_specifier name: (_) @lift alias: (_))
      (export_specifier name: (_) @lift alias: (_))
      (spread_element (_) @lift)
    ] @lift.outer)
]

; Rewrites: (a) => b  becomes  a => b
((arrow_function !type_parameters parameters: (formal_parameters . (required_parameter pattern: (identifier) @_name) .) @rewrite
    !return_type) (#set! text "{_name}"))

; class C { f<T>(a: T): T { } }   interface I { f<T>(a: T): T }   let f = <T>(a: T): T => { };  become  function f<T>(a: T): T { }
([
    (class_declaration body: (_ (method_definition name: (property_identifier) @_name type_parameters: (_)? @_types
      parameters: (_) @_parameters return_type: (_)? @_result body: (_) @_body)))
    (class_declaration body: (_ (method_signature name: (property_identifier) @_name type_parameters: (_)? @_types
      parameters: (_) @_parameters return_type: (_)? @_result)))
    (interface_declaration body: (_ (method_signature name: (property_identifier) @_name type_parameters: (_)? @_types
      parameters: (_) @_parameters return_type: (_)? @_result)))
    (lexical_declaration . kind: _ . (variable_declarator name: (identifier) @_name value: (_ type_parameters: (_)? @_types
      parameters: (_) @_parameters return_type: (_)? @_result body: (statement_block) @_body)) .)
  ] @rewrite (#not-eq? @_name "constructor") (#set! text "function {_name}{_types}{_parameters}{_result} {_body}"))
; function f(a: b[]): c { }   interface f { a: b[] }   class f { a: b[] }   become  let x: b[];
([
    (function_declaration [
      return_type: (type_annotation (_) @_type)
      parameters: (formal_parameters (_ type: (type_annotation (_) @_type)))
    ])
    (interface_declaration body: (_ (_ [
      type: (type_annotation (_) @_type)
      return_type: (type_annotation (_) @_type)
      parameters: (formal_parameters (_ type: (type_annotation (_) @_type)))
    ])))
    (class_declaration body: (_ (_ [
      type: (type_annotation (_) @_type)
      return_type: (type_annotation (_) @_type)
      parameters: (formal_parameters (_ type: (type_annotation (_) @_type)))
    ])))
  ] @rewrite (#match? @_type "\\W") (#set! text "let x: {_type};"))
; import a = require("b");  becomes  var a;
((import_statement (import_require_clause . (identifier) @_name)) @rewrite (#set! text "var {_name};"))

; Names: a type, a type parameter and an import stand for what they are.
([
    ((type_alias_declaration name: (_) @alias.name !type_parameters value: (_) @alias.text) @alias.unit)
    ((export_statement declaration: (type_alias_declaration name: (_) @alias.name !type_parameters value: (_) @alias.text)) @alias.unit)
    ((interface_declaration name: (_) @alias.name !type_parameters body: (_) @alias.text) @alias.unit)
    ((type_parameters . (type_parameter name: (_) @alias.name constraint: (constraint (_) @alias.text)) .) @alias.unit)
    ((type_parameter name: (_) @alias.name constraint: (constraint (_) @alias.text)) @alias.unit)
    ((import_alias . (identifier) @alias.name . (_) @alias.text) @alias.unit)
    ((formal_parameters (required_parameter pattern: (identifier) @alias.name value: (_) @alias.text) @alias.unit))
  ])
([
    (type_parameters . (type_parameter name: (_) @alias.name !constraint) .)
    (type_parameter name: (_) @alias.name !constraint)
  ] @alias.unit (#set! text "any"))
