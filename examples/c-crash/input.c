/*
 * A calculator: reads expressions such as "max(1, x) * 3", and keeps variables between them.
 *
 * It dies on one of the expressions in main(). Which of these lines have to do with it?
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 8
#define TABLE_SIZE 31

enum kind { NUMBER, NAME, OPERATOR, END };

struct token {
    enum kind kind;
    double number;
    char text[32];
};

struct lexer {
    const char *at;
    struct token token;
    int line, column;
};

struct variable {
    char name[32];
    double value;
    struct variable *next;
};

typedef double (*function)(const double *arguments, int count);

struct builtin {
    const char *name;
    function call;
    int least, most;
};

static struct variable *table[TABLE_SIZE];
static int errors;

/* ---- variables ---- */

static unsigned hash(const char *name)
{
    unsigned value = 5381;
    while (*name)
        value = value * 33 + (unsigned char)*name++;
    return value % TABLE_SIZE;
}

static struct variable *find(const char *name, int create)
{
    unsigned slot = hash(name);
    struct variable *variable;

    for (variable = table[slot]; variable; variable = variable->next)
        if (strcmp(variable->name, name) == 0)
            return variable;
    if (!create)
        return NULL;
    variable = calloc(1, sizeof *variable);
    strncpy(variable->name, name, sizeof variable->name - 1);
    variable->next = table[slot];
    table[slot] = variable;
    return variable;
}

static void forget_all(void)
{
    int slot;
    for (slot = 0; slot < TABLE_SIZE; slot++) {
        struct variable *variable = table[slot];
        while (variable) {
            struct variable *next = variable->next;
            free(variable);
            variable = next;
        }
        table[slot] = NULL;
    }
}

/* ---- functions ---- */

static double function_max(const double *arguments, int count)
{
    double best = arguments[0];
    int i;
    for (i = 1; i < count; i++)
        if (arguments[i] > best)
            best = arguments[i];
    return best;
}

static double function_min(const double *arguments, int count)
{
    double best = arguments[0];
    int i;
    for (i = 1; i < count; i++)
        if (arguments[i] < best)
            best = arguments[i];
    return best;
}

static double function_mean(const double *arguments, int count)
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++)
        sum += arguments[i];
    return count ? sum / count : 0;
}

static double function_abs(const double *arguments, int count)
{
    (void)count;
    return arguments[0] < 0 ? -arguments[0] : arguments[0];
}

/* "median" was announced, but nobody has written it yet. */
static const struct builtin builtins[] = {
    { "max", function_max, 1, MAX_ARGUMENTS },
    { "min", function_min, 1, MAX_ARGUMENTS },
    { "mean", function_mean, 0, MAX_ARGUMENTS },
    { "median", NULL, 1, MAX_ARGUMENTS },
    { "abs", function_abs, 1, 1 },
};

static const struct builtin *find_builtin(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

/* ---- lexer ---- */

static void advance(struct lexer *lexer)
{
    struct token *token = &lexer->token;

    while (isspace((unsigned char)*lexer->at)) {
        if (*lexer->at == '\n') {
            lexer->line++;
            lexer->column = 0;
        }
        lexer->at++;
        lexer->column++;
    }
    token->text[0] = '\0';
    if (*lexer->at == '\0') {
        token->kind = END;
    } else if (isdigit((unsigned char)*lexer->at)) {
        char *end;
        token->kind = NUMBER;
        token->number = strtod(lexer->at, &end);
        lexer->column += (int)(end - lexer->at);
        lexer->at = end;
    } else if (isalpha((unsigned char)*lexer->at)) {
        size_t length = 0;
        token->kind = NAME;
        while (isalnum((unsigned char)*lexer->at)) {
            if (length + 1 < sizeof token->text)
                token->text[length++] = *lexer->at;
            lexer->at++;
            lexer->column++;
        }
        token->text[length] = '\0';
    } else {
        token->kind = OPERATOR;
        token->text[0] = *lexer->at++;
        token->text[1] = '\0';
        lexer->column++;
    }
}

static int accept(struct lexer *lexer, const char *operator)
{
    if (lexer->token.kind != OPERATOR || strcmp(lexer->token.text, operator) != 0)
        return 0;
    advance(lexer);
    return 1;
}

static void complain(struct lexer *lexer, const char *message)
{
    printf("%d:%d: %s\n", lexer->line, lexer->column, message);
    errors++;
    lexer->token.kind = END;
}

/* ---- parser and evaluator in one ---- */

static double expression(struct lexer *lexer);

static double call(struct lexer *lexer, const char *name)
{
    const struct builtin *builtin = find_builtin(name);
    double arguments[MAX_ARGUMENTS] = { 0 };
    int count = 0;

    if (!accept(lexer, ")")) {
        do {
            double value = expression(lexer);
            if (count < MAX_ARGUMENTS)
                arguments[count++] = value;
        } while (accept(lexer, ","));
        if (!accept(lexer, ")"))
            complain(lexer, "expected )");
    }
    if (!builtin) {
        complain(lexer, "unknown function");
        return 0;
    }
    if (count < builtin->least || count > builtin->most) {
        complain(lexer, "wrong number of arguments");
        return 0;
    }
    return builtin->call(arguments, count);
}

static double primary(struct lexer *lexer)
{
    struct token token = lexer->token;

    if (accept(lexer, "-"))
        return -primary(lexer);
    if (accept(lexer, "(")) {
        double value = expression(lexer);
        if (!accept(lexer, ")"))
            complain(lexer, "expected )");
        return value;
    }
    advance(lexer);
    switch (token.kind) {
    case NUMBER:
        return token.number;
    case NAME:
        if (accept(lexer, "("))
            return call(lexer, token.text);
        if (accept(lexer, "="))
            return find(token.text, 1)->value = expression(lexer);
        if (find(token.text, 0))
            return find(token.text, 0)->value;
        complain(lexer, "unknown variable");
        return 0;
    default:
        complain(lexer, "expected a number, a name or (");
        return 0;
    }
}

static double product(struct lexer *lexer)
{
    double value = primary(lexer);
    for (;;) {
        if (accept(lexer, "*")) {
            value *= primary(lexer);
        } else if (accept(lexer, "/")) {
            double divisor = primary(lexer);
            if (divisor == 0) {
                complain(lexer, "division by zero");
                return 0;
            }
            value /= divisor;
        } else {
            return value;
        }
    }
}

static double expression(struct lexer *lexer)
{
    double value = product(lexer);
    for (;;) {
        if (accept(lexer, "+"))
            value += product(lexer);
        else if (accept(lexer, "-"))
            value -= product(lexer);
        else
            return value;
    }
}

static void run(const char *text)
{
    struct lexer lexer = { text, { END, 0, "" }, 1, 1 };
    double value;

    printf("> %s\n", text);
    fflush(stdout);
    advance(&lexer);
    value = expression(&lexer);
    if (lexer.token.kind != END)
        complain(&lexer, "something is left over");
    printf("%g\n", value);
}

int main(void)
{
    run("1 + 2 * 3");
    run("x = (4 - 1) / 2");
    run("max(x, 2, -5) * abs(-3)");
    run("mean() + mean(1, 2, 3, 4)");
    run("y = min(x, 1) / 0");
    run("unknown(1) + 2");
    run("median(3, 1, 2) + x");
    run("z + 1");
    forget_all();
    return errors ? EXIT_FAILURE : EXIT_SUCCESS;
}
