; Every form of rule is documented in ../README.md.

; Bodies: what throws is of any type.
(function_definition body: (_) @body (#set! text "???"))
