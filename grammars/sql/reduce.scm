; Rewrites: a query of several arms has fewer.

; select a union select b  becomes  select b
((set_operation (select) @_select . (from)? @_from) @rewrite (#set! text "{_select} {_from}"))
; select a union select b union select c  becomes  select b union select c
((set_operation . (select) @rewrite . (from)? @rewrite . operation: (_)+ @rewrite) (#set! text ""))
