struct unused0 { int a; };
typedef enum { unused1 } enum1;
int knr2(a, b)
int a; int b;
{ }
int knr3(a, b)
int a; int b;
{ }
struct s { int f; } *p4;
int x4 = p4->f;
struct { int g; } *p5;
int x5 = p5->g + p5[1].g;
typedef struct t { int a; } T;
T x6;
struct u { int a; int b; } x7;
struct v { int a; int b; } *x8;
