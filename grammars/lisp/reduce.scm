; Definitions.
((group . "(" . (word) @_k . (word) @def.name) @def.unit (#match? @_k "^(def[a-z-]*|define-.*|define)$"))
((group . "(" . (word) @_k . (group . "(" . (word) @def.name)) @def.unit (#match? @_k "^define"))

; Bindings.
((group . "(" . (word) @_k . (group (group . "(" . (word) @def.name) @def.unit)) (#match? @_k "^(let|let\\*|letrec)$"))
