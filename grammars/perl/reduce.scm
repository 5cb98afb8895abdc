; Definitions.
((line . (word) @_k . (word) @def.name . (group . "{")) @def.unit (#eq? @_k "sub"))
((line . (word) @_k . (word) @def.name . (sign)) @def.unit (#any-of? @_k "my" "our"))
