; Every form of rule is documented in ../README.md.

; Bodies: what throws needs no value.

([
    (function_declaration (function_value_parameters) . (_) @_type . (function_body (block) @body))
    (anonymous_function (function_value_parameters) . (_) @_type . (function_body (block) @body))
    (getter (function_body (block) @body))
  ] (#not-eq? @_type "Unit") (#set! text "{TODO()}"))
([(function_body (block) @body) (secondary_constructor (block) @body)] (#set! text "{}"))
(function_body (expression) @body (#set! text "TODO()"))
