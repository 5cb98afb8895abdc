; Definitions.
((group . "(" . (word) @_k . (word) @def.name) @def.unit (#any-of? @_k "func" "type" "global" "param" "local" "memory" "table"))
; An expression at its simplest.
((group . "(" . (word) @_k (group)) @rewrite (#match? @_k "^i32[.]") (#set! text "(i32.const 0)"))
