; Definitions.
((line . (word) @def.name . (sign) @_s) @def.unit (#any-of? @_s "=" ":=" "?=" "+="))
