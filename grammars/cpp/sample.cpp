#include <string>
#include <vector>

namespace outer {

template <typename T>
class Box : public std::vector<T> {
public:
    explicit Box(T first) : first_(first) { this->push_back(first); }
    virtual ~Box() = default;
    const T &first() const { return first_; }
    T scaled(int by) const { return first_ * by; }

private:
    T first_;
};

enum class Colour { red, green = 2 };

constexpr int twice(int value) { return 2 * value; }

}  // namespace outer

using namespace outer;
using outer::Box;
using number = int;

int global = 1;
static const char *text = "some text";
using Boxes = std::vector<Box<int>>;

static int next(int value) {
    value += 1;
    global = value;
    return value;
}

template <class T> concept Counted = requires(T t) { t.first(); };
template <class T> concept Known = Counted<T>;
template <Known T> void count(T t);

template <class T> T half(T whole) { return whole / 2; }
template <class T> T third(T whole) { half<T>(whole); return whole / 3; }

struct Single {
    int only;
};
struct Single single;

template <int n>
struct Constant {};
template <int n>
int deduced(Constant<n>);
template <int n>
int defined(Constant<n>) {
    return n;
}

struct Getter {
    int got() { return 1; }
    int other;
};
struct Getter getter;

template <class C>
class Cell {
    C cell;
};
Cell<int> cell;

int uses() {
    return single.only + getter.got() + defined(Constant<2>{}) + half<int>(2);
}

int main() {
    Box<int> *box = new Box<int>(outer::twice(2));
    auto add = [&](int more) -> int { return box->first() + box->scaled(3) + more; };
    try {
        for (const auto &each : *box) {
            if (each > 1 && add(each) != nullptr) throw std::string("many");
        }
    } catch (const std::string &text) {
        std::vector<int> list = {1, 2, 3};
        return static_cast<int>(list.size());
    }
    delete box;
    return 0;
}
Cell<Single> cells;
Single another;
