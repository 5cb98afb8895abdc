; Every form of rule is documented in ../README.md.

; Bodies: what throws needs no value. A field may be there only for what its body says.

([
    (method_declaration returns: (_) @_type body: (block) @body)
    (local_function_statement type: (_) @_type body: (block) @body)
    (operator_declaration body: (block) @body)
    (conversion_operator_declaration body: (block) @body)
    (accessor_declaration name: "get" body: (block) @body)
    (lambda_expression body: (block) @body)
  ] (#not-eq? @_type "void") (#set! text "{throw null;}"))
(arrow_expression_clause (_) @body (#set! text "throw null"))
