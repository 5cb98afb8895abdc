; Definitions: what can go when its name is found nowhere else.

((function_declaration name: (identifier) @def.name) @def.unit)
((generator_function_declaration name: (identifier) @def.name) @def.unit)
((class_declaration name: (identifier) @def.name) @def.unit)
((variable_declaration (variable_declarator name: (identifier) @def.name)) @def.unit)
((lexical_declaration (variable_declarator name: (identifier) @def.name)) @def.unit)
((variable_declarator name: (identifier) @def.name) @def.unit)
; A method or field, and one that is added from outside: C.prototype.m = function () { };
((method_definition name: [(property_identifier) (private_property_identifier)] @def.name) @def.unit)
((field_definition property: [(property_identifier) (private_property_identifier)] @def.name) @def.unit)
((pair key: (property_identifier) @def.name) @def.unit)
((expression_statement (assignment_expression left: (member_expression property: (property_identifier) @def.name))) @def.unit)
((import_specifier name: (identifier) @def.name !alias) @def.unit)
((import_specifier alias: (identifier) @def.name) @def.unit)
((import_clause (identifier) @def.name) @def.unit)
((namespace_import (identifier) @def.name) @def.unit)
((export_statement declaration: (_ name: (identifier) @def.name)) @def.unit)
((export_statement declaration: (_ (variable_declarator name: (identifier) @def.name))) @def.unit)

; Bodies: emptied in one sweep before lop looks inside.

(function_declaration body: (statement_block) @body)
(function_expression body: (statement_block) @body)
(generator_function_declaration body: (statement_block) @body)
(generator_function body: (statement_block) @body)
(arrow_function body: (statement_block) @body)
(method_definition body: (statement_block) @body)
(class_static_block body: (statement_block) @body)
(class_declaration body: (class_body) @body)
(class body: (class_body) @body)

; Splices: the inside of a block in the place of its statement. Not the body of a switch, whose
; labels mean nothing outside.

((if_statement consequence: (statement_block) @splice.inner) @splice.outer)
((if_statement alternative: (else_clause (statement_block) @splice.inner)) @splice.outer)
((for_statement body: (statement_block) @splice.inner) @splice.outer)
((for_in_statement body: (statement_block) @splice.inner) @splice.outer)
((while_statement body: (statement_block) @splice.inner) @splice.outer)
((do_statement body: (statement_block) @splice.inner) @splice.outer)
((with_statement body: (statement_block) @splice.inner) @splice.outer)
((labeled_statement body: (statement_block) @splice.inner) @splice.outer)
((try_statement body: (statement_block) @splice.inner) @splice.outer)
((try_statement handler: (catch_clause body: (statement_block) @splice.inner)) @splice.outer)
((try_statement finalizer: (finally_clause body: (statement_block) @splice.inner)) @splice.outer)
(program (statement_block) @splice.inner @splice.outer)
(statement_block (statement_block) @splice.inner @splice.outer)
; A function's body in the place of its declaration, ...
(program (function_declaration body: (statement_block) @splice.inner) @splice.outer)
(statement_block (function_declaration body: (statement_block) @splice.inner) @splice.outer)
((expression_statement (assignment_expression right: (_ body: (statement_block) @splice.inner))) @splice.outer)
(program (_ (variable_declarator value: (_ body: (statement_block) @splice.inner))) @splice.outer)
(statement_block (_ (variable_declarator value: (_ body: (statement_block) @splice.inner))) @splice.outer)
; ... of the statement that calls it where it stands, and of the call it is handed to.
((expression_statement (call_expression function: (parenthesized_expression (_ body: (statement_block) @splice.inner)))) @splice.outer)
((expression_statement (call_expression arguments: (arguments (_ body: (statement_block) @splice.inner)))) @splice.outer)

; Lifts: a part in the place of the whole, where the two are not of one class. An object, a function
; and a class cannot start a statement.

((if_statement condition: (parenthesized_expression (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((while_statement condition: (parenthesized_expression (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((do_statement condition: (parenthesized_expression (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((switch_statement value: (parenthesized_expression (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((with_statement object: (parenthesized_expression (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((for_statement initializer: (_ (variable_declarator value: (_) @lift))) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((for_statement initializer: (expression) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((for_statement condition: (expression) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((for_statement increment: (_) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((for_in_statement right: (_) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((return_statement (_) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((throw_statement (_) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((program (_ (variable_declarator value: (_) @lift)) @lift.outer)
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((statement_block (_ (variable_declarator value: (_) @lift)) @lift.outer)
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
((export_statement value: (_) @lift) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
; class B extends (e) { }  becomes  e;
((class_declaration (class_heritage (_) @lift)) @lift.outer
  (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))

; A declarator or field loses its value, a parameter its default, a specifier its alias.
(variable_declaration (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
(lexical_declaration kind: "let" (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
((field_definition property: (_) @lift value: (_)) @lift.outer)
((assignment_pattern left: (_) @lift) @lift.outer)
((import_specifier name: (_) @lift alias: (_)) @lift.outer)
((export_specifier name: (_) @lift alias: (_)) @lift.outer)
; A spread element or argument becomes what it spreads.
((spread_element (_) @lift) @lift.outer)
