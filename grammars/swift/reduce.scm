; Every form of rule is documented in ../README.md.

; Bodies: what never returns needs no value.
((function_declaration "->" body: (function_body) @body) (#set! text "{fatalError()}"))
