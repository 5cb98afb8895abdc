; A value in the place of the object or array that holds it.
((object (pair value: (_) @lift)) @lift.outer)
((array (_value) @lift) @lift.outer)
