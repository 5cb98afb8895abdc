; Every form of rule is documented in ../README.md.

; Bodies: what never returns needs no value.

([
    (function_declaration return_type: (_) body: (function_body) @body)
    (computed_getter (getter_specifier)) @body
    (computed_property . (statements)) @body
  ] (#set! text "{fatalError()}"))
