; Definitions.
((group . "(" . (word) @_k . (word) @def.name) @def.unit
  (#match? @_k "^(declare|define)-(fun|const|sort|var|fun-rec|datatype|synth|rel)$|^synth-fun$"))

; Bindings of let, forall and exists; the parameters of functions.
((group . "(" . (word) @_k . (group (group . "(" . (word) @def.name) @def.unit)) (#any-of? @_k "let" "forall" "exists" "lambda"))

; A definition by its value wherever it is used.
((group . "(" . (word) @_k . (word) @alias.name . (group . "(" . ")" .) . (_) . (_) @alias.text . ")" .) @alias.unit (#eq? @_k "define-fun"))
((group . "(" . (word) @_k . (word) @alias.name . (_) . (_) @alias.text . ")" .) @alias.unit (#eq? @_k "define-const"))
((group . "(" . (word) @_k . (group (group . "(" . (word) @alias.name . (_) @alias.text . ")" .) @alias.unit)) (#eq? @_k "let"))

; Terms of each sort at their simplest.
((group . "(" . (word) @_k (_)) @rewrite (#any-of? @_k "=" "<" ">" "<=" ">=" "and" "or" "not" "=>" "xor" "distinct" "forall" "exists") (#set! text "true"))
((group . "(" . (word) @_k (_)) @rewrite (#any-of? @_k "=" "<" ">" "<=" ">=" "and" "or" "not" "=>" "xor" "distinct" "forall" "exists") (#set! text "false"))
((group . "(" . (word) @_k (_)) @rewrite (#any-of? @_k "+" "-" "*" "div" "mod" "/" "abs" "str.len" "str.to_int" "str.indexof" "select") (#set! text "0"))
((group . "(" . (word) @_k (_)) @rewrite (#any-of? @_k "str.++" "str.replace" "str.substr" "str.at" "str.from_int") (#set! text "\"\""))

; Levels of the stack of assertions.
((group . "(" . (word) @_k) @group (#any-of? @_k "push" "pop") (#set! group "levels") (#set! text ""))

; Two assertions as one.
((group . "(" . (word) @_a . (_) @_x . ")" .) @rewrite . (group . "(" . (word) @_b . (_) @_y . ")" .) @rewrite
  (#eq? @_a "assert") (#eq? @_b "assert") (#set! text "(assert (and {_x} {_y}))"))
