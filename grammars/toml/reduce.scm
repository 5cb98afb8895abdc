; Lifts: a part in the place of the whole, where the two are not of one class.

; [a] b = 1  becomes  b = 1
([(table (pair) @lift) (table_array_element (pair) @lift)] @lift.outer)
