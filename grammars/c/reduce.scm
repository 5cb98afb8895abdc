; Definitions: what can go when its name is found nowhere else.

; int f(void) { }   int *f(void) { }   int **f(void) { }   int (f)(void) { }
((function_definition declarator: (_ declarator: [
    (identifier) @def.name
    (parenthesized_declarator (identifier) @def.name)
    (_ declarator: [(identifier) @def.name (_ declarator: (identifier) @def.name)])
  ])) @def.unit)

; int x;   int x = 1, *x, x[2], f(int);   int *x[2], *x = 0, *f(int);   int **x[2];   int (*f)(void);   int *(*f)(void);
((declaration declarator: [
    (identifier) @def.name
    (_ declarator: [
      (identifier) @def.name
      (parenthesized_declarator (_ declarator: (identifier) @def.name))
      (_ declarator: [
        (identifier) @def.name
        (_ declarator: (identifier) @def.name)
        (parenthesized_declarator (_ declarator: (identifier) @def.name))
      ])
    ])
  ]) @def.unit)

; typedef int t;   typedef int *t, t[2];   typedef int (*t)(void);   typedef char int8_t;
((type_definition declarator: [
    [(type_identifier) (primitive_type)] @def.name
    (_ declarator: [
      (type_identifier) @def.name
      (_ declarator: (type_identifier) @def.name)
      (parenthesized_declarator (_ declarator: (type_identifier) @def.name))
    ])
  ]) @def.unit)

; struct s { };   struct s { } x;   typedef struct s { } t;   likewise union and enum
[
  (translation_unit (_ name: (type_identifier) @def.name body: (_)) @def.unit)
  ([(declaration type: (_ name: (type_identifier) @def.name body: (_)))
    (type_definition type: (_ name: (type_identifier) @def.name body: (_)))] @def.unit)
]

; enum { a, b = 1 };   enum { a } x;   typedef enum { a } t;
[
  (translation_unit (enum_specifier body: (enumerator_list (enumerator name: (identifier) @def.name))) @def.unit)
  ([(declaration type: (enum_specifier body: (enumerator_list (enumerator name: (identifier) @def.name))))
    (type_definition type: (enum_specifier body: (enumerator_list (enumerator name: (identifier) @def.name))))] @def.unit)
  ((enumerator name: (identifier) @def.name) @def.unit)
]

; int x;   int *x, x[2];   int *x[2];   int (*x)(void);   as fields
((field_declaration declarator: [
    (field_identifier) @def.name
    (_ declarator: [
      (field_identifier) @def.name
      (_ declarator: (field_identifier) @def.name)
      (parenthesized_declarator (_ declarator: (field_identifier) @def.name))
    ])
  ]) @def.unit)

([(preproc_def name: (identifier) @def.name) (preproc_function_def name: (identifier) @def.name)] @def.unit)

; Bodies: emptied in one sweep before lop looks inside.

[
  (function_definition body: (compound_statement) @body)
  (struct_specifier body: (field_declaration_list) @body)
  (union_specifier body: (field_declaration_list) @body)
]

; Splices: the inside of a block in the place of its statement. Not the body of a switch, whose
; labels mean nothing outside, nor that of a function.

([
    (if_statement consequence: (compound_statement) @splice.inner)
    (if_statement alternative: (else_clause (compound_statement) @splice.inner))
    (for_statement body: (compound_statement) @splice.inner)
    (while_statement body: (compound_statement) @splice.inner)
    (do_statement body: (compound_statement) @splice.inner)
    (labeled_statement (compound_statement) @splice.inner)
    (expression_statement (parenthesized_expression (compound_statement) @splice.inner))
    (linkage_specification body: (declaration_list) @splice.inner)
  ] @splice.outer)
[
  (compound_statement (compound_statement) @splice.inner @splice.outer)
  (case_statement (compound_statement) @splice.inner @splice.outer)
]

; Lifts: a part in the place of the whole, where the two are not of one class.

; A statement becomes one of its expressions.
([
    (if_statement condition: (parenthesized_expression (_) @lift))
    (while_statement condition: (parenthesized_expression (_) @lift))
    (do_statement condition: (parenthesized_expression (_) @lift))
    (switch_statement condition: (parenthesized_expression (_) @lift))
    (for_statement initializer: (expression) @lift)
    (for_statement condition: (_) @lift)
    (for_statement update: (_) @lift)
    (return_statement (_) @lift)
  ] @lift.outer (#set! suffix ";") (#set! own))
((compound_statement (declaration declarator: (init_declarator value: [
    (expression) @lift
    (initializer_list (expression) @lift)
  ])) @lift.outer) (#set! suffix ";"))

; The braces around one initializer, or around one of several.
((initializer_list (expression) @lift) @lift.outer)

; One of the lines that a condition guards.
([
    (preproc_if [(declaration) (function_definition) (type_definition) (statement)] @lift)
    (preproc_ifdef [(declaration) (function_definition) (type_definition) (statement)] @lift)
    (preproc_if alternative: (preproc_else [(declaration) (function_definition) (type_definition) (statement)] @lift))
    (preproc_ifdef alternative: (preproc_else [(declaration) (function_definition) (type_definition) (statement)] @lift))
  ] @lift.outer)

; Rewrites: what the template makes of it.

; int a; int b;  becomes  int a, b;
((declaration type: (_) @_type declarator: (_) @_first . ";") @rewrite
  . (declaration type: (_) @_other declarator: (_) @_second . ";") @rewrite
  (#eq? @_type @_other) (#set! text "{_type} {_first}, {_second};"))
; f(a);  becomes  return a;
((expression_statement (call_expression arguments: (argument_list . (_) @_value .))) @rewrite
  (#set! text "return {_value};"))
; a += b;  becomes  a = b;
((assignment_expression operator: _ @rewrite) (#not-eq? @rewrite "=") (#set! text "="))
; int f(a) int a; { }  becomes  int f() { },  and  int f(int a) { }  with the last or the last two declarations.
((function_definition declarator: [
    (function_declarator parameters: (parameter_list (identifier)) @rewrite)
    (_ declarator: (function_declarator parameters: (parameter_list (identifier)) @rewrite))
  ] . (declaration)+ @rewrite . body: (_)) (#set! text "()") (#set! own))
((function_definition declarator: [
    (function_declarator parameters: (parameter_list (identifier)) @rewrite)
    (_ declarator: (function_declarator parameters: (parameter_list (identifier)) @rewrite))
  ] (declaration type: (_) @_type . declarator: (_) @_name . ";") @rewrite . body: (_))
  (#set! text "({_type} {_name})") (#set! own))
((function_definition declarator: [
    (function_declarator parameters: (parameter_list (identifier)) @rewrite)
    (_ declarator: (function_declarator parameters: (parameter_list (identifier)) @rewrite))
  ] (declaration type: (_) @_type . declarator: (_) @_name . ";") @rewrite
    . (declaration type: (_) @_other . declarator: (_) @_second . ";") @rewrite . body: (_))
  (#set! text "({_type} {_name}, {_other} {_second})") (#set! own))
; if (a) for (;;) b;   do b; while (a);   for (; a;) b;   become  while (a) b;
([
    (if_statement condition: (_) @_condition consequence: [(for_statement body: (_) @_body) (while_statement body: (_) @_body)])
    (do_statement body: (_) @_body condition: (_) @_condition)
  ] @rewrite (#set! text "while {_condition} {_body}"))
((for_statement condition: (_) @_condition body: (_) @_body) @rewrite (#set! text "while ({_condition}) {_body}"))
; Statements lose what is around them and keep more than one part.
([
    (if_statement condition: (parenthesized_expression) @_condition consequence: (_) @_body)
    (while_statement condition: (parenthesized_expression) @_condition body: (_) @_body)
  ] @rewrite (#set! text "{_condition.inside};\n{_body}") (#set! own))
([
    (for_statement initializer: (expression) @_part body: (_) @_body)
    (for_statement condition: (_) @_part body: (_) @_body)
    (for_statement update: (_) @_part body: (_) @_body)
  ] @rewrite (#set! text "{_part};\n{_body}"))
; The statements of a case, with or without the break that leaves them.
((switch_statement body: (compound_statement (case_statement ":" . (_)+ @_inside . (break_statement)? .))) @rewrite
  (#set! text "{_inside}"))
; The lines that a condition guards, all of them.
([
    (preproc_ifdef name: (_) !alternative . (_)+ @_inside . "#endif")
    (preproc_ifdef name: (_) . (_)+ @_inside . alternative: (_))
    (preproc_ifdef alternative: (preproc_else (_)+ @_inside))
    (preproc_if condition: (_) !alternative . "\n" . (_)+ @_inside . "#endif")
    (preproc_if condition: (_) . "\n" . (_)+ @_inside . alternative: (_))
    (preproc_if alternative: (preproc_else (_)+ @_inside))
  ] @rewrite (#set! text "{_inside}\n"))

; Types become the simplest, wherever they stand.
((sized_type_specifier) @unify (#set! text "int"))
((primitive_type) @unify (#not-eq? @unify "int") (#set! text "int"))

; Groups: what only makes sense together.

; int x[2][3]; x[i][j]  becomes  int x[3]; x[j]
((array_declarator declarator: (identifier) @group.name @_name) @group
  (#set! group "dimension") (#set! text "{_name}"))
((subscript_expression argument: (identifier) @group.name @_name) @group
  (#set! group "dimension") (#set! text "{_name}"))
; int *p; *p, p->f, p[i]  becomes  int p; p, p.f, p
((pointer_declarator declarator: (identifier) @group.name @_name) @group
  (#set! group "pointer") (#set! text "{_name}"))
((pointer_expression operator: "*" argument: (identifier) @group.name @_name) @group
  (#set! group "pointer") (#set! text "{_name}"))
((subscript_expression argument: (identifier) @group.name @_name) @group
  (#set! group "pointer") (#set! text "{_name}"))
((field_expression argument: (identifier) @group.name @_name operator: "->" field: (_) @_field) @group
  (#set! group "pointer") (#set! text "{_name}.{_field}"))
; struct { int f; } s; s.f  becomes  int s; s
((_ body: (field_declaration_list . (field_declaration type: (_) @_type
  declarator: (field_identifier) @group.name) .)) @group (#set! group "member") (#set! text "{_type}"))
((_ type: (_ body: (field_declaration_list . (field_declaration type: (_) @_type
  declarator: (pointer_declarator declarator: (field_identifier) @group.name)) .)) @group . declarator: (_))
  (#set! group "member") (#set! text "{_type} *"))
((field_expression argument: (_) @_value field: (field_identifier) @group.name) @group
  (#set! group "member") (#set! text "{_value}"))
; struct { int f; } *s; s->f  becomes  int *s; *s
((_ body: (field_declaration_list . (field_declaration type: (_) @_type
  declarator: (field_identifier) @group.name) .)) @group (#set! group "member of a pointer") (#set! text "{_type}"))
((_ type: (_ body: (field_declaration_list . (field_declaration type: (_) @_type
  declarator: (pointer_declarator declarator: (field_identifier) @group.name)) .)) @group . declarator: (_))
  (#set! group "member of a pointer") (#set! text "{_type} *"))
((field_expression argument: (_) @_value operator: "->" field: (field_identifier) @group.name) @group
  (#set! group "member of a pointer") (#set! text "*{_value}"))
([
    (call_expression function: (field_expression operator: "->" field: (_) @group.name) @group @_value)
    (subscript_expression argument: (field_expression operator: "->" field: (_) @group.name) @group @_value)
    (field_expression argument: (field_expression operator: "->" field: (_) @group.name) @group @_value)
  ] (#set! group "member of a pointer") (#set! text "({_value})"))
((field_expression argument: (_) @_value operator: "." field: (field_identifier) @group.name) @group
  (#set! group "member of a pointer") (#set! text "{_value}"))
; struct { int f[2], g; } s; s.f[1]  becomes  int f[2], g; f[1]
((declaration type: (_ body: (field_declaration_list) @_members) declarator: [
    (identifier) @group.name
    (pointer_declarator declarator: (identifier) @group.name)
  ] . ";") @group (#set! group "members") (#set! text "{_members.inside}"))
((field_expression argument: (identifier) @group.name field: (_) @_field) @group (#set! group "members") (#set! text "{_field}"))
; typedef struct s s; s x;  becomes  struct s x;
((type_definition type: (struct_specifier name: (_) @_tag !body) declarator: (type_identifier) @group.name . ";") @group
  (#eq? @_tag @group.name) (#set! group "tag") (#set! text ""))
((_ type: (type_identifier) @group @group.name @_name) (#set! group "tag") (#set! text "struct {_name}"))
; int f(int); f(1)  becomes  int f; f
((declaration declarator: (function_declarator declarator: (identifier) @group.name @_name) @group)
  (#set! group "function") (#set! text "{_name}"))
((call_expression function: (identifier) @group.name @_name) @group (#set! group "function") (#set! text "{_name}"))
; int f() { return 1; }  becomes  void f() { }
((function_definition) @group.scope (#set! group "void"))
((function_definition type: (_) @group) (#not-eq? @group "void") (#set! group "void") (#set! text "void"))
((return_statement (_)) @group (#set! group "void") (#set! text ";"))
((function_definition) @group.scope (#set! group "void, with its returns"))
((function_definition type: (_) @group) (#not-eq? @group "void") (#set! group "void, with its returns") (#set! text "void"))
((return_statement (_)) @group (#set! group "void, with its returns") (#set! text "return;"))
; A label with its gotos.
((labeled_statement label: (_) @group.name . ":" . (_) @_statement) @group
  (#set! group "label") (#set! text "{_statement}"))
((goto_statement label: (_) @group.name) @group (#set! group "label") (#set! text ";"))

; int f(void); ... int f(void) { }
((declaration declarator: [
    (function_declarator declarator: (identifier) @forward.name)
    (_ declarator: (function_declarator declarator: (identifier) @forward.name))
  ]) @forward)

; Aliases: what a name stands for, wherever it is used.

; typedef int t;   typedef int *t;
((type_definition type: (_) @alias.text declarator: [(type_identifier) (primitive_type)] @alias.name . ";") @alias.unit)
((type_definition type: (_) @_type declarator: (pointer_declarator declarator: (type_identifier) @alias.name) . ";") @alias.unit
  (#set! text "{_type} *"))
; typedef struct s { } t;
((type_definition type: (_ name: (_) @_tag body: (_) @_body) @_whole declarator: (type_identifier) @alias.name . ";")
  @alias.unit (#match? @_whole "^struct") (#set! text "struct {_tag}") (#set! leave "struct {_tag} {_body};"))
; struct s { }; struct s x;  becomes  struct s { } x;
([(struct_specifier name: (_) @alias.name @_tag body: (_) @_body) (union_specifier name: (_) @alias.name @_tag body: (_) @_body)]
  @alias.unit . ";" @alias.unit (#set! text "{_tag} {_body}"))
; int a = b, *a = b;   enum { a = 1 };
; #define a 1
([
    (declaration declarator: (init_declarator declarator: [
      (identifier) @alias.name
      (pointer_declarator declarator: (identifier) @alias.name)
    ] value: (_) @alias.text) . ";")
    (enumerator name: (identifier) @alias.name value: (_) @alias.text)
    (preproc_def name: (identifier) @alias.name value: (preproc_arg) @alias.text)
  ] @alias.unit)

; Locals and parameters become globals.
((function_definition body: (compound_statement (declaration) @globalise)) @globalise.before)
; One of several: int *a, b;
([
    (function_definition body: (compound_statement (declaration type: (_) @_type "," . declarator: (_) @globalise @_moved)))
    (function_definition body: (compound_statement (declaration type: (_) @_type declarator: (_) @globalise @_moved . ",")))
  ] @globalise.before (#set! text "{_type} {_moved};"))
((function_definition declarator: (_ parameters: (parameter_list (parameter_declaration declarator: (_)) @globalise @_moved)))
  @globalise.before (#set! text "{_moved};"))

; A function that is called once takes the call's place.
((function_definition declarator: (function_declarator declarator: (identifier) @inline.name parameters: (_) @inline.parameters)
  body: (compound_statement) @inline.body) @inline.unit)
((expression_statement (call_expression function: (identifier) @inline.call arguments: (_) @inline.arguments)) @inline.site)
((function_definition declarator: (function_declarator declarator: (identifier) @inline.name parameters: (_) @inline.parameters)
  body: (compound_statement . (return_statement (_) @inline.value) .)) @inline.unit)
; int f(int a) { b(); return a + 1; } int c = f(2);  becomes  b(); int c = 2 + 1;
((function_definition declarator: (function_declarator declarator: (identifier) @inline.name parameters: (_) @inline.parameters)
  body: (compound_statement . (_)+ @inline.before . (return_statement (_) @inline.value) .)) @inline.unit)
; So does a macro.
((preproc_function_def name: (_) @inline.name parameters: (_) @inline.parameters value: (_) @inline.value) @inline.unit)
((call_expression function: (identifier) @inline.call arguments: (_) @inline.arguments) @inline.expression)

; a = b; *a = c;  becomes  *b = c;
((expression_statement (assignment_expression left: (identifier) @alias.name operator: "=" right: (_) @alias.text)) @alias.unit (#set! after))
