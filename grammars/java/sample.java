package some.where;

import java.util.*;
import static java.lang.Math.max;

/** A sample. */
@Deprecated
public final class Sample<T extends Comparable<T>> extends Base implements Runnable, Named {
    private static final int LIMIT = 10;
    protected Map<String, List<T>> items = new HashMap<>();

    static {
        System.out.println("start");
    }

    enum Colour { RED, GREEN(2) { }, BLUE }

    interface Shape { double area(double scale); }

    record Point(int x, int y) { }

    public Sample(T first, int... rest) throws IllegalStateException {
        super(rest.length);
        this.items.put("first", Arrays.asList(first));
    }

    @Override
    public void run() {
        int count = 0, more[] = {1, 2, 3};
        for (int i = 0; i < LIMIT; i++) {
            count += i > 3 ? more[i] : -i;
        }
        outer:
        for (T each : items.get("first")) {
            if (each == null || count >= 2) {
                continue outer;
            } else {
                break;
            }
        }
        do {
            count--;
        } while (count > 0);
        try (Scanner in = new Scanner(System.in)) {
            switch (count) {
                case 1:
                    throw new RuntimeException("one" + in);
                default:
                    synchronized (this) { count = max(1, 2); }
            }
        } catch (IOException | RuntimeException error) {
            error.printStackTrace();
        } finally {
            Runnable later = () -> System.out.println(more.length);
            Comparator<String> by = (a, b) -> a.compareTo(b);
            later.run();
        }
        assert items instanceof Map;
    }

    int chosen(int count) {
        return Math.abs(switch (count) {
            case 1 -> 2;
            default -> 3;
        });
    }
}

class Other {
    int one = 1;
    int two = one + 1;

    void first() {
        one = 2;
        two = one;
        second(one);
    }

    int second(int value) {
        return value;
    }
}

interface Named {
    String name();
    int size();
}

@interface Mark { int value(); }

enum Level {
    LOW, HIGH;
    Integer code;
    void raise() { code = 1; }
}

class Loops {
    Function<String, String> same = (String a) -> { return a; };

    void loops() {
        class Local { }
        next:
        for (;;) {
            break next;
        }
        switch (1) {
            case 1:
                loops();
                break;
        }
    }
}

class Sums {
    int half(int whole) {
        return whole / 2;
    }

    int third(int whole) {
        half(whole);
        return whole / 3;
    }

    int sixth(int whole) {
        return third(whole) / 2;
    }

    int one() {
        return 1;
    }

    int two() {
        return one() + this.one();
    }
}
