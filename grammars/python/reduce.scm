; Definitions that are not used.
([
    (function_definition name: (identifier) @def.name)
    (class_definition name: (identifier) @def.name)
    (decorated_definition definition: (_ name: (identifier) @def.name))
    (expression_statement (assignment left: (identifier) @def.name))
    (expression_statement (assignment left: (attribute attribute: (identifier) @def.name)))
    (default_parameter name: (_) @def.name)
    (typed_default_parameter name: (_) @def.name)
  ] @def.unit)
; import a.b as c, d;  from e import f, g as h
([
    (import_statement name: [(dotted_name . (identifier) @def.name) (aliased_import alias: (identifier) @def.name)])
    (import_from_statement name: [(dotted_name (identifier) @def.name) (aliased_import alias: (identifier) @def.name)])
  ] @def.unit)

; The inside of a block takes the place of what is around it.
((if_statement consequence: (block) @splice.inner) @splice.outer)
((if_statement alternative: (_ [consequence: (block) body: (block)] @splice.inner)) @splice.outer)
((for_statement body: (block) @splice.inner) @splice.outer)
((with_statement body: (block) @splice.inner) @splice.outer)
((try_statement body: (block) @splice.inner) @splice.outer)
((try_statement (_ (block) @splice.inner)) @splice.outer)
(module [(function_definition body: (block) @splice.inner) (class_definition body: (block) @splice.inner)] @splice.outer)
(block [(function_definition body: (block) @splice.inner) (class_definition body: (block) @splice.inner)] @splice.outer)
((match_statement body: (block (case_clause consequence: (block) @splice.inner))) @splice.outer)

; Pieces that are statements by themselves.
((if_statement condition: (_) @lift) @lift.outer)
((while_statement condition: (_) @lift) @lift.outer)
((for_statement right: (_) @lift) @lift.outer)
((raise_statement (_) @lift) @lift.outer)
((with_statement (with_clause (with_item value: [(identifier) (attribute) (call)] @lift))) @lift.outer)
; Parts of the head of a definition: def f(a: b = c) -> d;  class e(f);  @g
([
    (function_definition return_type: (type (_) @lift))
    (function_definition parameters: (parameters (_ [type: (type (_) @lift) value: (_) @lift])))
    (class_definition superclasses: (argument_list [(identifier) (attribute) (call) (subscript)] @lift))
    (decorated_definition (decorator (_) @lift))
    (try_statement (except_clause value: [(identifier) (attribute) (call) (tuple)] @lift))
  ] @lift.outer)

; The last  elif a:  becomes  else:
((if_statement alternative: (elif_clause "elif" @rewrite . condition: (_) @rewrite) .) (#set! text "else"))

; Parameters with their arguments.
(function_definition name: (_) @param.fn parameters: (_) @param.list)
(call function: (identifier) @param.fn arguments: (argument_list) @param.list)

; Names: a = b; c(a)  becomes  c(b)
([
    (assignment left: (identifier) @alias.name right: (_) @alias.text)
    (default_parameter name: (_) @alias.name value: (_) @alias.text)
    (typed_default_parameter name: (_) @alias.name value: (_) @alias.text)
  ] @alias.unit)

; try: a() except: b()  becomes  a() b()
((try_statement body: (block) @_body (_ (block) @_other)) @rewrite (#set! text "{_body}\n{_other}"))

; def f(a): b(); return a + 1   c = f(2)  becomes  b(); c = 2 + 1
((function_definition name: (_) @inline.name parameters: (_) @inline.parameters body: (block) @inline.body) @inline.unit)
((expression_statement (call function: (identifier) @inline.call arguments: (argument_list) @inline.arguments)) @inline.site)
((function_definition name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (return_statement (_) @inline.value) .)) @inline.unit)
((function_definition name: (_) @inline.name parameters: (_) @inline.parameters
    body: (block . (_)+ @inline.before . (return_statement (_) @inline.value) .)) @inline.unit)
((call function: (identifier) @inline.call arguments: (argument_list) @inline.arguments) @inline.expression)
