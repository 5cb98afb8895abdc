#ifndef GUARD_H
#define GUARD_H
#define LEVEL 2


#ifdef HAVE_A
int a0(void);
int a1(void);
#endif
#ifdef HAVE_B
int b0(void);
int b1(void);
#else
int b2(void);
int b3(void);
#endif
#if LEVEL > 3
int c0(void);
int c1(void);
#endif
#if LEVEL > 4
int d0(void);
int d1(void);
#else
int d2(void);
int d3(void);
#endif
#ifdef HAVE_E
typedef int e0;
#endif
#if LEVEL > 5
int f0(void) { return LEVEL; }
#endif
#ifdef HAVE_G
int g0;
#else
int g1;
#endif
#if LEVEL > 6
int h0;
#else
int h1;
#endif

#endif
