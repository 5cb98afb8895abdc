; Definitions: what can go when its name is found nowhere else.

([
    (function_declaration name: (identifier) @def.name)
    (generator_function_declaration name: (identifier) @def.name)
    (class_declaration name: (identifier) @def.name)
    (variable_declaration (variable_declarator name: (identifier) @def.name))
    (lexical_declaration (variable_declarator name: (identifier) @def.name))
    (variable_declarator name: (identifier) @def.name)
  ] @def.unit (#set! own))
; A method or field, and one that is added from outside: C.prototype.m = function () { };
([
    (method_definition name: [(property_identifier) (private_property_identifier)] @def.name)
    (field_definition property: [(property_identifier) (private_property_identifier)] @def.name)
    (pair key: (property_identifier) @def.name)
    (expression_statement (assignment_expression left: (member_expression property: (property_identifier) @def.name)))
  ] @def.unit (#set! own))
([
    (import_specifier name: (identifier) @def.name !alias)
    (import_specifier alias: (identifier) @def.name)
    (import_clause (identifier) @def.name)
    (namespace_import (identifier) @def.name)
    (export_statement declaration: (_ name: (identifier) @def.name))
    (export_statement declaration: (_ (variable_declarator name: (identifier) @def.name)))
  ] @def.unit)

; Bodies: emptied in one sweep before lop looks inside.

[
  (function_declaration body: (statement_block) @body)
  (function_expression body: (statement_block) @body)
  (generator_function_declaration body: (statement_block) @body)
  (generator_function body: (statement_block) @body)
  (arrow_function body: (statement_block) @body)
  (method_definition body: (statement_block) @body)
  (class_static_block body: (statement_block) @body)
]

; Splices: the inside of a block in the place of its statement. Not the body of a switch, whose
; labels mean nothing outside.

([
    (if_statement consequence: (statement_block) @splice.inner)
    (if_statement alternative: (else_clause (statement_block) @splice.inner))
    (for_statement body: (statement_block) @splice.inner)
    (for_in_statement body: (statement_block) @splice.inner)
    (while_statement body: (statement_block) @splice.inner)
    (do_statement body: (statement_block) @splice.inner)
    (with_statement body: (statement_block) @splice.inner)
    (labeled_statement body: (statement_block) @splice.inner)
    (try_statement body: (statement_block) @splice.inner)
    (try_statement handler: (catch_clause body: (statement_block) @splice.inner))
    (try_statement finalizer: (finally_clause body: (statement_block) @splice.inner))
  ] @splice.outer)
[
  (program (statement_block) @splice.inner @splice.outer)
  (statement_block (statement_block) @splice.inner @splice.outer)
]
; A function's body in the place of its declaration or export, a method's in the place of its class, ...
[
  (program (function_declaration body: (statement_block) @splice.inner) @splice.outer)
  (statement_block (function_declaration body: (statement_block) @splice.inner) @splice.outer)
  (program (_ (variable_declarator value: (_ body: (statement_block) @splice.inner))) @splice.outer)
  (statement_block (_ (variable_declarator value: (_ body: (statement_block) @splice.inner))) @splice.outer)
  ((expression_statement (assignment_expression right: (_ body: (statement_block) @splice.inner))) @splice.outer)
  ((export_statement declaration: (_ body: (statement_block) @splice.inner)) @splice.outer)
  ((class_declaration body: (class_body (_ body: (statement_block) @splice.inner))) @splice.outer)
]
; ... of the statement that calls it where it stands, and of the call it is handed to.
[
  ((expression_statement [
      (call_expression function: (parenthesized_expression (_ body: (statement_block) @splice.inner)))
      (call_expression arguments: (arguments (_ body: (statement_block) @splice.inner)))
      (call_expression function: (_ object: (_ (_ body: (statement_block) @splice.inner))))
      (parenthesized_expression (call_expression function: (_ body: (statement_block) @splice.inner)))
      (_ argument: (call_expression function: (_ body: (statement_block) @splice.inner)))
      (_ right: (call_expression function: (_ (_ body: (statement_block) @splice.inner))))
    ]) @splice.outer)
  (program (_ (variable_declarator value: (call_expression function: (_ (_ body: (statement_block) @splice.inner))))) @splice.outer)
  (statement_block (_ (variable_declarator value: (call_expression function: (_ (_ body: (statement_block) @splice.inner))))) @splice.outer)
  ((return_statement (call_expression function: (_ (_ body: (statement_block) @splice.inner)))) @splice.outer)
  ((return_statement (_ body: (statement_block) @splice.inner)) @splice.outer)
]

; Lifts: a part in the place of the whole, where the two are not of one class. An object, a function
; and a class cannot start a statement.

([
    (if_statement condition: (parenthesized_expression (_) @lift))
    (while_statement condition: (parenthesized_expression (_) @lift))
    (do_statement condition: (parenthesized_expression (_) @lift))
    (switch_statement value: (parenthesized_expression (_) @lift))
    (with_statement object: (parenthesized_expression (_) @lift))
    (for_statement initializer: (_ (variable_declarator value: (_) @lift)))
    (for_statement initializer: (expression) @lift)
    (for_statement condition: (expression) @lift)
    (for_statement increment: (_) @lift)
    (for_in_statement right: (_) @lift)
    (return_statement (_) @lift)
    (throw_statement (_) @lift)
    (export_statement value: (_) @lift)
  ] @lift.outer (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";"))
; A variable's value in the place of its declaration, a field's and what a class extends in that of the class.
([
    (program (_ (variable_declarator value: (_) @lift)) @lift.outer)
    (statement_block (_ (variable_declarator value: (_) @lift)) @lift.outer)
    ((class_declaration (class_heritage (_) @lift)) @lift.outer)
    ((class_declaration body: (class_body (field_definition value: (_) @lift))) @lift.outer)
  ] (#not-match? @lift "^(\\{|function|class|async)") (#set! suffix ";") (#set! own))

; A declarator or field loses its value, a parameter its default, a specifier its alias. A spread element or argument
; becomes what it spreads.
([
  (variable_declaration (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @lift value: (_)) @lift.outer)
  ([
      (field_definition property: (_) @lift value: (_))
      (assignment_pattern left: (_) @lift)
      (object_assignment_pattern left: (_) @lift)
      (pair_pattern value: (identifier) @lift)
      (computed_property_name [(identifier) (string) (number)] @lift)
      (import_specifier name: (_) @lift alias: (_))
      (export_specifier name: (_) @lift alias: (_))
      (spread_element (_) @lift)
    ] @lift.outer)
] (#set! own))

; Rewrites: what the template makes of it.

; Functions become shorter functions.
((arrow_function body: (statement_block . (return_statement (expression) @_value) .) @rewrite)
  (#not-match? @_value "^(\\{|function)") (#set! text "{_value}"))
((arrow_function body: (statement_block . (return_statement (object) @_value) .) @rewrite) (#set! text "({_value})"))
((arrow_function body: (statement_block . (expression_statement (expression) @_value) .) @rewrite) (#set! text "{_value}"))
((arrow_function body: (statement_block) @rewrite) (#set! text "0"))
((arrow_function parameters: (formal_parameters . (identifier) @_name .) @rewrite) (#set! text "{_name}") (#set! own))
((arrow_function parameters: (formal_parameters "(" . ")") @rewrite) (#set! text "_"))
((function_expression parameters: (_) @_parameters body: (statement_block . (return_statement (expression) @_value) .)) @rewrite
  (#not-match? @_value "^(\\{|function)") (#set! text "{_parameters} => {_value}"))
((function_expression parameters: (_) @_parameters body: (_) @_body) @rewrite (#set! text "{_parameters} => {_body}"))
([
    (program (function_declaration name: (_) @_name parameters: (_) @_parameters body: (statement_block . (return_statement (expression) @_value) .)) @rewrite)
    (statement_block (function_declaration name: (_) @_name parameters: (_) @_parameters body: (statement_block . (return_statement (expression) @_value) .)) @rewrite)
  ] (#not-match? @_value "^(\\{|function)") (#set! text "{_name} = {_parameters} => {_value};"))
; var f = function () { };  becomes  function f() { }
([
    (variable_declaration . (variable_declarator name: (identifier) @_name value: (_ parameters: (_) @_parameters body: (statement_block) @_body)) .)
    (lexical_declaration . kind: _ . (variable_declarator name: (identifier) @_name value: (_ parameters: (_) @_parameters body: (statement_block) @_body)) .)
    (expression_statement (assignment_expression left: (identifier) @_name right: (_ parameters: (_) @_parameters body: (statement_block) @_body)))
  ] @rewrite (#set! text "function {_name}{_parameters} {_body}"))

; A class becomes one of its methods as a function, or the function that makes its objects.
((class_declaration name: (_) @_class body: (class_body (method_definition name: (_) @_name parameters: (_) @_parameters body: (_) @_body))) @rewrite
  (#eq? @_name "constructor") (#set! text "function {_class}{_parameters} {_body}"))
((class_declaration body: (class_body (method_definition name: (property_identifier) @_name parameters: (_) @_parameters body: (_) @_body))) @rewrite
  (#not-eq? @_name "constructor") (#set! text "function {_name}{_parameters} {_body}"))
([
    (class body: (class_body (method_definition parameters: (_) @_parameters body: (_) @_body)))
    (object (method_definition parameters: (_) @_parameters body: (_) @_body))
  ] @rewrite (#set! text "function {_parameters} {_body}"))
; { get a() { return b; } }  becomes  { a: b }
((object (method_definition name: (_) @_name body: (statement_block . (return_statement (expression) @_value) .)) @rewrite)
  (#set! text "{_name}: {_value}"))
((pair key: (_) @_name value: (_ parameters: (_) @_parameters body: (statement_block) @_body)) @rewrite
  (#set! text "{_name}{_parameters} {_body}"))
; a?.b  becomes  a.b
((member_expression object: (_) @_object optional_chain: (_) property: (_) @_name) @rewrite (#set! text "{_object}.{_name}"))
((subscript_expression object: (_) @_object index: (string . (string_fragment) @_name .)) @rewrite
  (#match? @_name "^[A-Za-z_]+$") (#set! text "{_object}.{_name}"))
((pair key: (string . (string_fragment) @_name .) @rewrite) (#match? @_name "^[A-Za-z_]+$") (#set! text "{_name}"))

; Patterns become names: { a } = { a: 1 }  and  [a] = [1]  become  a = 1.
((object_pattern [
    (shorthand_property_identifier_pattern) @_name
    (_ left: (shorthand_property_identifier_pattern) @_name)
  ]) @rewrite (#set! text "{_name}"))
([
    (variable_declarator name: (array_pattern . (_) @_name) value: (array . (_) @_value))
    (assignment_expression left: (array_pattern . (_) @_name) right: (array . (_) @_value))
    (variable_declarator name: (object_pattern . [(shorthand_property_identifier_pattern) @_name (pair_pattern value: (_) @_name)]) value: (object . (pair value: (_) @_value)))
    (assignment_expression left: (object_pattern . [(shorthand_property_identifier_pattern) @_name (pair_pattern value: (_) @_name)]) right: (object . (pair value: (_) @_value)))
  ] @rewrite (#set! text "{_name} = {_value}"))
((catch_clause parameter: (_) body: (_) @_body) @rewrite (#set! text "catch {_body}"))

; 'a' + 'b'  becomes  'ab'
((binary_expression left: (string) @_left operator: "+" right: (string . (string_fragment) @_right .)) @rewrite
  (#not-match? @_right "[\"']") (#set! text "'{_left.inside}{_right}'"))

; f(...[a])  becomes  f(a),  f.apply(a, [b])  becomes  f(b).
([
    (arguments (spread_element (array (_)) @_array) @rewrite)
    (array (spread_element (array (_)) @_array) @rewrite)
  ] (#set! text "{_array.inside}"))
((call_expression function: (_ object: (_) @_function) arguments: (arguments . (_) . (array) @_array .)) @rewrite
  (#set! text "{_function}({_array.inside})"))
((call_expression function: (_ object: (_) @_function) arguments: (arguments . (_) . (_) @_first)) @rewrite
  (#set! text "{_function}({_first})"))

; Imports and exports.
((import_statement (import_clause [
    (identifier) @_name
    (_ (identifier) @_name)
    (_ (import_specifier (identifier) @_name .))
  ])) @rewrite (#set! text "var {_name};"))

; Statements lose what is around them and keep more than one part.
((if_statement condition: (parenthesized_expression) @_condition consequence: (_) @_then) @rewrite
  (#not-match? @_condition "^.[ \n]*(\\{|function|class)") (#set! text "{_condition.inside};\n{_then}"))
((while_statement condition: (parenthesized_expression) @_condition body: (_) @_body) @rewrite
  (#not-match? @_condition "^.[ \n]*(\\{|function|class)") (#set! text "{_condition.inside};\n{_body}"))
((do_statement body: (_) @_body condition: (parenthesized_expression) @_condition) @rewrite
  (#not-match? @_condition "^.[ \n]*(\\{|function|class)") (#set! text "{_body}\n{_condition.inside};"))
((for_statement initializer: (expression) @_first body: (_) @_body) @rewrite (#set! text "{_first};\n{_body}"))
((for_statement initializer: (_ (variable_declarator)) @_first body: (_) @_body) @rewrite (#set! text "{_first}\n{_body}"))
((for_in_statement left: (_) @_left right: (_) @_value body: (_) @_body) @rewrite
  (#set! text "{_left} = {_value};\n{_body}"))
((try_statement body: (_) @_body [
    handler: (catch_clause body: (_) @_last)
    finalizer: (finally_clause body: (_) @_last)
  ]) @rewrite (#set! text "{_body.inside}\n{_last.inside}\n"))
((try_statement handler: (_) @_handler finalizer: (finally_clause body: (_) @_last)) @rewrite
  (#set! text "try {_last} {_handler}"))
((switch_statement body: (switch_body (_ body: (_)+ @_body))) @rewrite (#set! text "{_body}\n"))

; if (a) for (;;) b;   do b; while (a);   for (; a;) b;   become  while (a) b;
([
    (if_statement condition: (_) @_condition consequence: [(for_statement body: (_) @_body) (while_statement body: (_) @_body)])
    (do_statement body: (_) @_body condition: (_) @_condition)
  ] @rewrite (#set! text "while {_condition} {_body}"))
((for_statement condition: (expression) @_condition body: (_) @_body) @rewrite (#set! text "while ({_condition}) {_body}"))

; A block that is there only so that something stands before its statement.
(program (statement_block . (expression_statement) .) @rewrite @_block (#set! text ";{_block.inside}"))

; let a; let b;  becomes  let a, b;
([
    ((variable_declaration . _ @_kind (variable_declarator) @_first .) @rewrite
      . (variable_declaration . _ @_other . (variable_declarator) @_second) @rewrite)
    ((lexical_declaration kind: _ @_kind (variable_declarator) @_first .) @rewrite
      . (lexical_declaration kind: _ @_other . (variable_declarator) @_second) @rewrite)
  ] (#eq? @_kind @_other) (#set! text "{_kind} {_first}, {_second};"))

; Words and operators become shorter ones, wherever they stand.
((lexical_declaration kind: "const" @unify) (#set! text "let"))
((binary_expression operator: "===" @unify) (#set! text "=="))
((binary_expression operator: "!==" @unify) (#set! text "!="))

; Parameters, and those of what has no name of its own.
[
  (variable_declarator name: (identifier) @param.fn value: (_ parameters: (_) @param.list))
  (assignment_expression left: (identifier) @param.fn right: (_ parameters: (_) @param.list))
  (assignment_expression left: (member_expression property: (_) @param.fn) right: (_ parameters: (_) @param.list))
  (pair key: (_) @param.fn value: (_ parameters: (_) @param.list))
]
(class_declaration name: (_) @param.fn body: (class_body (method_definition name: (_) @_name parameters: (_) @param.list))
  (#eq? @_name "constructor"))
; A function that is called where it stands has its own text for a name.
[
  (call_expression function: (parenthesized_expression (_ parameters: (_) @param.list) @param.fn))
  (call_expression function: (parenthesized_expression (_ parameters: (_)) @param.fn) arguments: (arguments) @param.list)
]

; Names for values. One that is used once may stand for anything.
[
  ((variable_declaration . (variable_declarator name: (identifier) @alias.name value: (_) @alias.text) .) @alias.unit)
  ((lexical_declaration . kind: _ . (variable_declarator name: (identifier) @alias.name value: (_) @alias.text) .) @alias.unit)
  (variable_declaration (variable_declarator) . (variable_declarator name: (identifier) @alias.name value: (_) @alias.text) @alias.unit .)
  (lexical_declaration (variable_declarator) . (variable_declarator name: (identifier) @alias.name value: (_) @alias.text) @alias.unit .)
]
((variable_declarator name: (identifier) @alias.name value: (_) @alias.text) @alias.unit . (variable_declarator))
((expression_statement (assignment_expression left: (identifier) @alias.name right: (_) @alias.text)) @alias.unit)
(sequence_expression (assignment_expression left: (identifier) @alias.name right: (_) @alias.text) @alias.unit)
; function f(a, b = 1) { return b; }  becomes  function f(a) { return 1; }
((formal_parameters (assignment_pattern left: (identifier) @alias.name right: (_) @alias.text) @alias.unit) (#set! own))
; A function needs parentheses where it is called.
([
    (variable_declaration (variable_declarator name: (identifier) @alias.name value: (_ body: (_)) @_value))
    (lexical_declaration (variable_declarator name: (identifier) @alias.name value: (_ body: (_)) @_value))
    (expression_statement (assignment_expression left: (identifier) @alias.name right: (_ body: (_)) @_value))
  ] @alias.unit (#set! text "({_value})"))
((function_declaration name: (_) @alias.name parameters: (_) @_parameters body: (_) @_body) @alias.unit
  (#set! text "function {_parameters} {_body}"))
((class_declaration name: (_) @alias.name (class_heritage)? @_base body: (_) @_body) @alias.unit
  (#set! text "class {_base} {_body}"))

; A declaration in a function moves out of it.
[
  (program (function_declaration body: (statement_block [(declaration) (expression_statement (assignment_expression))] @globalise)) @globalise.before)
  (statement_block (function_declaration body: (statement_block [(declaration) (expression_statement (assignment_expression))] @globalise)) @globalise.before)
  (program (class_declaration body: (class_body (method_definition body: (statement_block (declaration) @globalise)))) @globalise.before)
]

; A function that is called once takes the call's place.
([
    (function_declaration name: (_) @inline.name parameters: (_) @inline.parameters body: (_) @inline.body)
    (variable_declaration . (variable_declarator name: (_) @inline.name value: (_ parameters: (_) @inline.parameters body: (statement_block) @inline.body)) .)
    (lexical_declaration . kind: _ . (variable_declarator name: (_) @inline.name value: (_ parameters: (_) @inline.parameters body: (statement_block) @inline.body)) .)
    (expression_statement (assignment_expression left: (_) @inline.name right: (_ parameters: (_) @inline.parameters body: (statement_block) @inline.body)))
    (method_definition name: (_) @inline.name parameters: (_) @inline.parameters body: (_) @inline.body)
    (pair key: (_) @inline.name value: (_ parameters: (_) @inline.parameters body: (statement_block) @inline.body))
  ] @inline.unit)
((class_declaration name: (_) @inline.name body: (class_body (method_definition name: (_) @_name parameters: (_) @inline.parameters body: (_) @inline.body))) @inline.unit
  (#eq? @_name "constructor"))
((expression_statement [
    (call_expression function: (identifier) @inline.call arguments: (arguments) @inline.arguments)
    (call_expression function: (member_expression property: (_) @inline.call) arguments: (arguments) @inline.arguments)
    (await_expression (call_expression function: (identifier) @inline.call arguments: (arguments) @inline.arguments))
    (new_expression constructor: (identifier) @inline.call arguments: (arguments) @inline.arguments)
  ]) @inline.site)
([
    (function_declaration name: (_) @inline.name parameters: (_) @inline.parameters
      body: (statement_block . (return_statement (expression) @inline.value) .))
    (variable_declaration (variable_declarator name: (_) @inline.name value: (_ parameters: (_) @inline.parameters
      body: (statement_block . (return_statement (expression) @inline.value) .))))
    (lexical_declaration (variable_declarator name: (_) @inline.name value: (_ parameters: (_) @inline.parameters
      body: (statement_block . (return_statement (expression) @inline.value) .))))
    (variable_declaration (variable_declarator name: (_) @inline.name value: (arrow_function parameters: (_) @inline.parameters body: (expression) @inline.value)))
    (lexical_declaration (variable_declarator name: (_) @inline.name value: (arrow_function parameters: (_) @inline.parameters body: (expression) @inline.value)))
    (expression_statement (assignment_expression left: (identifier) @inline.name
      right: (arrow_function parameters: (_) @inline.parameters body: (expression) @inline.value)))
    (method_definition name: (_) @inline.name parameters: (_) @inline.parameters
      body: (statement_block . (return_statement (expression) @inline.value) .))
  ] @inline.unit)
; function f(a) { b(); return a + 1; } c = f(2);  becomes  b(); c = 2 + 1;
((function_declaration name: (_) @inline.name parameters: (_) @inline.parameters
  body: (statement_block . (_)+ @inline.before . (return_statement (expression) @inline.value) .)) @inline.unit)
([
    (call_expression function: (identifier) @inline.call arguments: (arguments) @inline.arguments)
    (call_expression function: (member_expression property: (_) @inline.call) arguments: (arguments) @inline.arguments)
  ] @inline.expression)

; ({ a: b })  becomes  [b]
((object . "{" . (pair value: (_) @_value) . "}") @rewrite (#set! text "[{_value}]"))
; throw a;  becomes  break;
((throw_statement) @rewrite (#set! text "break;"))
; (function () { })  becomes  function a() { }
((expression_statement (parenthesized_expression (function_expression parameters: (_) @_parameters body: (_) @_body))) @rewrite
  (#set! text "function a{_parameters} {_body}"))
; b(function () { })  becomes  b; function a() { }
((expression_statement (call_expression function: (_) @_value
    arguments: (arguments . (function_expression parameters: (_) @_parameters body: (_) @_body) .))) @rewrite
  (#set! text "{_value}\nfunction a{_parameters} {_body}"))
; a: b;  becomes  ; b;
((labeled_statement label: (_) body: (_) @_body) @rewrite (#set! text ";{_body}"))
