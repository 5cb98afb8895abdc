typedef struct value {
    union {
        int whole;
    } as;
} value;
struct {
    union {
        value top;
        double align;
    } *stack;
} state;
void show(char *);
void peek(void)
{
    value *top = &state.stack->top;
    char *text = top ? (char *)(long)top->as.whole : "";
    show(text);
}
