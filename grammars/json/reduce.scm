; Rewrites: what the template makes of it.

; {"a": b}  becomes  [b]
((object . "{" . (pair value: (_) @_value) . "}") @rewrite (#set! text "[{_value}]"))
