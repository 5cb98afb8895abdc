; Definitions.
((line . (word) @def.name . (sign) @_s . (sign)) @def.unit (#eq? @_s "<"))
