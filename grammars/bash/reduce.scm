; Definitions: what can go when its name is found nowhere else.

([
    (function_definition name: (_) @def.name)
    (variable_assignment name: (variable_name) @def.name)
  ] @def.unit)
