; Definitions.
((line . (word) @_k . (word) @def.name . (group)) @def.unit (#any-of? @_k "message" "enum" "service"))
