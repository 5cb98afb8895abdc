; Definitions.
((line . (word) @_k . (word) @def.name . (sign) @_s) @def.unit (#any-of? @_k "let" "type" "module") (#eq? @_s "="))
