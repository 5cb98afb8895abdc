import os.path as path
from collections import OrderedDict, namedtuple


class Shape(Base, metaclass=Meta):
    """A shape."""

    count: int = 0

    def __init__(self, name, *args, size=None, **rest):
        super().__init__()
        self.name = name or "none"
        self.parts = [part for part in args if part.ok]

    async def draw(self) -> str:
        async with self.lock as lock:
            return await lock.run(lambda x, y=1: x + y)


def walk(tree, depth=0):
    global seen
    for child in tree.children[1:]:
        if depth > 3 and not child:
            continue
        elif child.kind in ("a", "b"):
            yield child, {"key": depth ** 2}
        else:
            yield from walk(child, depth + 1)
    while depth:
        depth -= 1
    try:
        assert path.exists(tree.name), f"no {tree.name!r} here"
    except (OSError, ValueError) as error:
        raise RuntimeError("unknown") from error
    finally:
        del tree.cache[0]
    match depth:
        case 0:
            pass
        case Point(x=1) if depth:
            print(depth)
    return {n: n * 2 for n in range(10)}


value = walk(None) if __name__ == "__main__" else -1


@decorated(1)
def two():
    pass


def one(a=1):
    while a:
        return a
    if a:
        a = one(a)
    else:
        one(1)
    for a in b:
        raise a
    assert a
    match a:
        case 1:
            one(2)
            del a
    try:
        with a:
            return a
    except E:
        one()
    if a:
        one()
    elif b:
        two()


def two(a):
    return a / 2


def three(a):
    two(a)
    return a


three = three(3)


def four(a):
    two(a)
    del a


four(4)
