enum kind { NONE, NAME, NUMBER, TEXT };
int width(enum kind kind, int deep)
{
    int all = 0;
    while (deep-- > 0) {
        switch (kind) {
        case NONE:
            return 0;
        case NAME:
        case NUMBER:
            all += 4;
            break;
        case 7: {
            int half = deep / 2;
            all += half;
            break;
        }
        default:
            all--;
        }
    }
    return all;
}
int main(void) { return width(TEXT, 3) + width(NAME, 1); }
