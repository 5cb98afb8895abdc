; Definitions.
((line . (word) @_k . (group . "{" . (word) @def.name . "}" .)) @def.unit (#match? @_k "command$"))
