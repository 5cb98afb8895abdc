; Rules that need no language: they stand behind those of every language. README.md says what is special in this file.

; Definitions: what can go when its name is found nowhere else. A loop has a name, a value and a body; a comparison no "=".
((_ name: (_) @def.name body: (_) !value) @def.unit (#set! rule "definitions"))
((_ name: (_) @def.name parameters: (_)) @def.unit (#set! rule "definitions"))
((_ name: (_) @def.name value: (_) !body) @def.unit (#set! rule "definitions"))
((_ name: (_) @def.name type: (_) !body) @def.unit (#set! rule "definitions"))
((_ declarator: (_ name: (_) @def.name)) @def.unit (#set! rule "definitions"))
((_ pattern: (identifier) @def.name !body) @def.unit (#set! rule "definitions"))
((_ left: (identifier) @def.name "=" right: (_) !operator) @def.unit (#set! rule "definitions"))
((_ alias: (_) @def.name !value) @def.unit (#set! rule "definitions"))
((import_declaration (_ name: (_) @def.name)) @def.unit (#set! rule "definitions"))

; Bodies: emptied in one sweep before lop looks inside.
((_ name: (_) body: (_) @body) (#set! rule "bodies"))
((_ parameters: (_) body: (_) @body) (#set! rule "bodies"))

; Blocks: the inside of one in the place of its statement.
((_ consequence: (_ "{" "}") @splice.inner) @splice.outer (#set! rule "blocks"))
((_ alternative: (_ "{" "}") @splice.inner) @splice.outer (#set! rule "blocks"))
((_ alternative: (_ (_ "{" "}") @splice.inner)) @splice.outer (#set! rule "blocks"))
((_ body: (_ "{" "}") @splice.inner !name !parameters !declarator !type) @splice.outer (#set! rule "blocks"))
((block (block "{" "}") @splice.inner @splice.outer) (#set! rule "blocks"))

; Parts: an expression in the place of its statement.
((_ condition: (parenthesized_expression (_) @lift)) @lift.outer (#set! suffix ";") (#set! rule "parts"))
((_ condition: (_) @lift) @lift.outer (#set! suffix ";") (#set! rule "parts"))
((_ pattern: (_) value: (_) @lift) @lift.outer (#set! suffix ";") (#set! rule "parts"))
((_ declarator: (_ value: (_) @lift)) @lift.outer (#set! suffix ";") (#set! rule "parts"))

; Parameters: they go with the arguments of all calls, ...
((_ name: (_) @param.fn parameters: (_) @param.list) (#set! rule "parameters"))
((_ declarator: (identifier) @param.fn parameters: (_) @param.list) (#set! rule "parameters"))
((_ function: (identifier) @param.fn arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ function: (_ attribute: (_) @param.fn) arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ function: (_ field: (_) @param.fn) arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ function: (_ name: (_) @param.fn) arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ function: (_ property: (_) @param.fn) arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ name: (_) @param.fn arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
((_ constructor: (identifier) @param.fn arguments: (_ "(" ")") @param.list) (#set! rule "parameters"))
; ... and those of types with theirs.
((_ name: (_) @param.fn type_parameters: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((_ name: (_) @param.fn type_arguments: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((_ type: (_) @param.fn type_arguments: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((_ function: (identifier) @param.fn type_arguments: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((_ constructor: (identifier) @param.fn type_arguments: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((_ value: (identifier) @param.fn type_arguments: (_) @param.list) (#set! list "types") (#set! rule "type parameters"))
((generic_type . (_) @param.fn (type_arguments) @param.list) (#set! list "types") (#set! rule "type parameters"))

; Names: what a name stands for, wherever it is used. A loop variable is no such name.
((_ name: (_) @alias.name "=" value: (_) @alias.text !body) @alias.unit (#set! rule "names"))
((_ pattern: (identifier) @alias.name "=" value: (_) @alias.text !body) @alias.unit (#set! rule "names"))
((_ left: (identifier) @alias.name "=" right: (_) @alias.text !operator) @alias.unit (#set! rule "names"))
((_ declarator: (_ name: (_) @alias.name value: (_) @alias.text)) @alias.unit (#set! rule "names"))

; Calls: what is called once takes the call's place.
((_ name: (_) @inline.name parameters: (_) @inline.parameters body: (_ "{" "}") @inline.body) @inline.unit (#set! rule "calls"))
((expression_statement (_ function: (identifier) @inline.call arguments: (_) @inline.arguments)) @inline.site (#set! rule "calls"))
((expression_statement (_ name: (_) @inline.call arguments: (_) @inline.arguments)) @inline.site (#set! rule "calls"))
