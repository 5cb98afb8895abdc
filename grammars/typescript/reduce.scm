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

; Lifts: a value in the place of what declares it.

([
    (program (_ (variable_declarator value: (_) @lift)) @lift.outer)
    (statement_block (_ (variable_declarator value: (_) @lift)) @lift.outer)
    ((class_declaration (class_heritage (extends_clause value: (_) @lift))) @lift.outer)
    ((class_declaration body: (class_body (public_field_definition value: (_) @lift))) @lift.outer)
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
