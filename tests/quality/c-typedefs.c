#include <stddef.h>

typedef unsigned char byte;
typedef enum { OP_0 = 0, OP_1 = 1, OP_2 = 2, OP_3 = 3, OP_4 = 4, OP_5 = 5, OP_6 = 6, OP_7 = 7, OP_8 = 8, OP_9 = 9, OP_10 = 10, OP_11 = 11, OP_12 = 12, OP_13 = 13, OP_14 = 14, OP_15 = 15, OP_16 = 16, OP_17 = 17, OP_18 = 18, OP_19 = 19, OP_20 = 20, OP_21 = 21, OP_22 = 22, OP_23 = 23, OP_24 = 24, OP_25 = 25, OP_26 = 26, OP_27 = 27, OP_28 = 28, OP_29 = 29, OP_30 = 30, OP_31 = 31, OP_32 = 32, OP_33 = 33, OP_34 = 34, OP_35 = 35, OP_36 = 36, OP_37 = 37, OP_38 = 38, OP_39 = 39 } op;
typedef struct entry { op code; const char *name; byte width, flags : 3; int (*run)(int, byte *); } entry;
typedef union { entry *entry; long number; } value;

static int run_0(int a, byte *b) { return a + b[0]; }
static int run_1(int a, byte *b) { return a + b[1]; }
static int run_2(int a, byte *b) { return a + b[2]; }
static int run_3(int a, byte *b) { return a + b[3]; }
static int run_4(int a, byte *b) { return a + b[4]; }
static int run_5(int a, byte *b) { return a + b[5]; }
static int run_6(int a, byte *b) { return a + b[6]; }
static int run_7(int a, byte *b) { return a + b[7]; }
static int run_8(int a, byte *b) { return a + b[8]; }
static int run_9(int a, byte *b) { return a + b[9]; }
static int run_10(int a, byte *b) { return a + b[10]; }
static int run_11(int a, byte *b) { return a + b[11]; }
static int run_12(int a, byte *b) { return a + b[12]; }
static int run_13(int a, byte *b) { return a + b[13]; }
static int run_14(int a, byte *b) { return a + b[14]; }
static int run_15(int a, byte *b) { return a + b[15]; }
static int run_16(int a, byte *b) { return a + b[16]; }
static int run_17(int a, byte *b) { return a + b[17]; }
static int run_18(int a, byte *b) { return a + b[18]; }
static int run_19(int a, byte *b) { return a + b[19]; }
static int run_20(int a, byte *b) { return a + b[20]; }
static int run_21(int a, byte *b) { return a + b[21]; }
static int run_22(int a, byte *b) { return a + b[22]; }
static int run_23(int a, byte *b) { return a + b[23]; }
static int run_24(int a, byte *b) { return a + b[24]; }
static int run_25(int a, byte *b) { return a + b[25]; }
static int run_26(int a, byte *b) { return a + b[26]; }
static int run_27(int a, byte *b) { return a + b[27]; }
static int run_28(int a, byte *b) { return a + b[28]; }
static int run_29(int a, byte *b) { return a + b[29]; }
static int run_30(int a, byte *b) { return a + b[30]; }
static int run_31(int a, byte *b) { return a + b[31]; }
static int run_32(int a, byte *b) { return a + b[32]; }
static int run_33(int a, byte *b) { return a + b[33]; }
static int run_34(int a, byte *b) { return a + b[34]; }
static int run_35(int a, byte *b) { return a + b[35]; }
static int run_36(int a, byte *b) { return a + b[36]; }
static int run_37(int a, byte *b) { return a + b[37]; }
static int run_38(int a, byte *b) { return a + b[38]; }
static int run_39(int a, byte *b) { return a + b[39]; }

static const entry table[] = {
    { OP_0, "op0", 0, 0, run_0 },
    { OP_1, "op1", 1, 1, run_1 },
    { OP_2, "op2", 2, 2, run_2 },
    { OP_3, "op3", 3, 0, run_3 },
    { OP_4, "op4", 0, 1, run_4 },
    { OP_5, "op5", 1, 2, run_5 },
    { OP_6, "op6", 2, 0, run_6 },
    { OP_7, "op7", 3, 1, run_7 },
    { OP_8, "op8", 0, 2, run_8 },
    { OP_9, "op9", 1, 0, run_9 },
    { OP_10, "op10", 2, 1, run_10 },
    { OP_11, "op11", 3, 2, run_11 },
    { OP_12, "op12", 0, 0, run_12 },
    { OP_13, "op13", 1, 1, run_13 },
    { OP_14, "op14", 2, 2, run_14 },
    { OP_15, "op15", 3, 0, run_15 },
    { OP_16, "op16", 0, 1, run_16 },
    { OP_17, "op17", 1, 2, run_17 },
    { OP_18, "op18", 2, 0, run_18 },
    { OP_19, "op19", 3, 1, run_19 },
    { OP_20, "op20", 0, 2, run_20 },
    { OP_21, "op21", 1, 0, run_21 },
    { OP_22, "op22", 2, 1, run_22 },
    { OP_23, "op23", 3, 2, run_23 },
    { OP_24, "op24", 0, 0, run_24 },
    { OP_25, "op25", 1, 1, run_25 },
    { OP_26, "op26", 2, 2, run_26 },
    { OP_27, "op27", 3, 0, run_27 },
    { OP_28, "op28", 0, 1, run_28 },
    { OP_29, "op29", 1, 2, run_29 },
    { OP_30, "op30", 2, 0, run_30 },
    { OP_31, "op31", 3, 1, run_31 },
    { OP_32, "op32", 0, 2, run_32 },
    { OP_33, "op33", 1, 0, run_33 },
    { OP_34, "op34", 2, 1, run_34 },
    { OP_35, "op35", 3, 2, run_35 },
    { OP_36, "op36", 0, 0, run_36 },
    { OP_37, "op37", 1, 1, run_37 },
    { OP_38, "op38", 2, 2, run_38 },
    { OP_39, "op39", 3, 0, run_39 },
    { OP_0, NULL, 0, 0, NULL },
};

int main(void)
{
    value v;
    v.entry = (entry *)&table[3];
    return v.entry->run(1, NULL);
}
typedef entry row;
typedef row *rows;
rows all(rows r) { return r + 1; }
