; Definitions.
((instruction . (local_var) @def.name) @def.unit)
((fn_define (function_header name: (_) @def.name)) @def.unit)
((declare (function_header name: (_) @def.name)) @def.unit)
((global_global . (global_var) @def.name) @def.unit)
((global_type . (local_var) @def.name) @def.unit)
((alias . (global_var) @def.name) @def.unit)
((comdat . (comdat_ref) @def.name) @def.unit)
((unnamed_attr_grp (attr_ref) @def.name) @def.unit)
((global_metadata . (metadata_ref) @def.name) @def.unit)

; Bodies.
((fn_define body: (function_body) @body) (#set! text "{ unreachable }"))
((fn_define (function_header) @_header) @rewrite (#set! text "declare {_header}"))

; A value without an instruction.
((instruction . (local_var) @alias.name) @alias.unit (#set! text "undef"))

((function_header arguments: (argument_list (argument (value (var (local_var) @alias.name))) @alias.unit)) (#set! text "undef"))

; A value by an operand.
((instruction . (local_var) @alias.name (_ (value) @alias.text)) @alias.unit)
((instruction . (local_var) @alias.name (_ (type_and_value (value) @alias.text))) @alias.unit)

; Control flow: blocks, ...
((fn_define (function_header (type) @flow.result) body: (function_body) @flow.body) @flow.unit (#set! text ":"))
(label) @flow.label
; ... jumps, ...
((instruction (_ (type_and_value (type (type_keyword) @_kind) (value (var (local_var) @flow.target @_label))))) @flow.jump
  (#eq? @_kind "label") (#set! text "br label {_label}"))
((instruction . (instruction_invoke (type) @_type callee: (_) @_callee arguments: (_) @_arguments
    "to" . (type_and_value (value (var (local_var) @flow.target @_label))))) @flow.jump
  (#set! text "call {_type} {_callee}{_arguments}\nbr label {_label}"))
((instruction (local_var) @_name (instruction_invoke (type) @_type callee: (_) @_callee arguments: (_) @_arguments
    "to" . (type_and_value (value (var (local_var) @flow.target @_label))))) @flow.jump
  (#set! text "{_name} = call {_type} {_callee}{_arguments}\nbr label {_label}"))
; ... what depends on the block before, ...
((instruction_phi "[" @flow.entry . (value) @flow.entry . "," @flow.entry . (local_var) @flow.entry @flow.source . "]" @flow.entry))
; ... early exits ...
((instruction (local_var) @_name (instruction_bin_op (type_and_value . (type) @_type))) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction (local_var) @_name (instruction_fneg (type_and_value . (type) @_type))) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction (local_var) @_name (instruction_freeze (type_and_value . (type) @_type))) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction (local_var) @_name (instruction_cast "to" . (type) @_type)) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction (local_var) @_name [(instruction_icmp) (instruction_fcmp)]) @flow.exit
  (#set! text "ret i1 {_name}") (#set! result "i1"))
((instruction (local_var) @_name [(instruction_phi (type) @_type) (instruction_load (type) @_type) (instruction_call (type) @_type)]) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction (local_var) @_name (instruction_select (type_and_value) . "," . (type_and_value . (type) @_type) . ",")) @flow.exit
  (#set! text "ret {_type} {_name}") (#set! result "{_type}"))
((instruction) @flow.exit (#set! text "ret void") (#set! result "void"))
((label) @flow.exit (#set! text "unreachable"))
; ... and names that count up.
(var (local_var) @flow.number)
(instruction . (local_var) @flow.number)
(instruction_phi (local_var) @flow.number)
(label) @flow.number

; Parameters and arguments.
((function_header name: (_) @param.fn arguments: (_) @param.list))
((_ callee: (value (var (global_var) @param.fn)) arguments: (_) @param.list))

; Values at their simplest.
((value) @rewrite (#set! text "0"))
((value) @rewrite (#set! text "undef"))
((value) @rewrite (#set! text "null"))
((value) @rewrite (#set! text "true"))

; Types made narrower.
((type_keyword) @unify @_type (#match? @_type "^i[0-9]+$") (#set! text "i8"))
((type_keyword) @unify @_type (#match? @_type "^i[0-9]+$") (#set! text "i1"))
((type_keyword) @unify @_type (#match? @_type "^i[0-9]+$") (#set! text "i64"))
((type (local_var)) @unify (#set! text "i8"))
((type "*") @unify (#set! text "i8*"))
