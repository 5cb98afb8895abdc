; Definitions.
((line . (word) @_k . (word) @def.name) @def.unit (#any-of? @_k "signal" "variable" "constant"))
