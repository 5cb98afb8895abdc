; Definitions.
((block . "begin" . (statement . (word) @def.name)) @def.unit)
