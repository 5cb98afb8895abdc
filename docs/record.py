#!/usr/bin/env python3
"""Makes the pictures of the README and the manual.

docs/record.py [LOP]                  a run on examples/c-crash: docs/lop.cast (asciicast v2) and docs/screen.svg
docs/record.py --shrink DIR [LOP]     the results in a run's directory, RESULT.lop: docs/shrink.svg

LOP is the program, target/release/lop by default. The runs are real; the first is on a pseudo-terminal of 100 by 30. The
picture of the screen is the last one in which words have just gone and much is left. Needs Python and a C compiler.
"""

import codecs, fcntl, html, json, math, os, pty, re, select, shutil, struct, subprocess, sys, tempfile, termios, time

WIDTH, HEIGHT = 100, 30
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FRAMES = 60  # pictures kept of the run, at equal distances
COLOURS = ["#2e3436", "#cc4444", "#4e9a06", "#c4a000", "#5c8dd6", "#a26fb0", "#06989a", "#d3d7cf"]
BRIGHT = ["#7f8581", "#ef5959", "#8ae234", "#fce94f", "#8fb4ea", "#c79fd0", "#34e2e2", "#eeeeec"]
STEPS, SECONDS, HELD, COLUMNS = 24, 9.0, 3.0, 92  # of the animation: results, their time, that of the last, width
FLAGS = {1: "bold", 2: "dim", 3: "italic", 7: "reverse", 9: "crossed"}
PLAIN, PAPER = "#d3d7cf", "#16191c"


class Screen:
    """As much of a terminal as lop uses."""

    def __init__(self):
        self.cells = [[(" ", ())] * WIDTH for _ in range(HEIGHT)]
        self.x = self.y = 0
        self.style = {}
        self.rest = ""

    def feed(self, text):
        text, self.rest = self.rest + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])").match(text, at)
                if not found:
                    self.rest = text[at:]
                    return
                self.command(found[1], found[2])
                at = found.end()
                continue
            if text[at] == "\r":
                self.x = 0
            elif text[at] == "\n":
                self.y = min(self.y + 1, HEIGHT - 1)
            elif self.x < WIDTH:
                self.cells[self.y][self.x] = (text[at], tuple(sorted(self.style.items())))
                self.x += 1
            at += 1

    def command(self, words, letter):
        numbers = [int(word or 0) for word in words.split(";")] if "?" not in words else []
        if letter == "H":
            self.y, self.x = max(numbers[0], 1) - 1, max((numbers + [1])[1], 1) - 1
        elif letter == "J":
            self.cells = [[(" ", ())] * WIDTH for _ in range(HEIGHT)]
        elif letter == "m":
            self.paint(numbers)

    def paint(self, numbers):
        numbers = list(numbers)
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                self.style = {}
            elif code in FLAGS:
                self.style[FLAGS[code]] = True
            elif code in (22, 23, 27, 29):
                for name in {22: ("bold", "dim"), 23: ("italic",), 27: ("reverse",), 29: ("crossed",)}[code]:
                    self.style.pop(name, None)
            elif code in (38, 48) and numbers[:1] == [5]:
                number = numbers[1]
                self.style["fg" if code == 38 else "bg"] = (COLOURS + BRIGHT)[number % 16]
                numbers = numbers[2:]
            elif code in (39, 49):
                self.style.pop("fg" if code == 39 else "bg", None)
            elif 30 <= code < 38 or 40 <= code < 48:
                self.style["fg" if code < 40 else "bg"] = COLOURS[code % 10]

    def is_interesting(self):
        """Whether words have just gone, and there is much left."""
        gone = sum(1 for row in self.cells for letter, style in row if ("crossed", True) in style and letter != " ")
        words = sum(1 for row in self.cells for letter, _ in row[WIDTH * 3 // 10 :] if letter.isalnum())
        return gone >= 12 and words >= 250

    def rows_that_differ(self, shown):
        """What a terminal that shows the other picture has to be told."""
        out = []
        for y, row in enumerate(self.cells):
            differs = [x for x in range(WIDTH) if shown is None or shown[y][x] != row[x]]
            if not differs:
                continue
            out.append(f"\x1b[{y + 1};{differs[0] + 1}H")
            last = None
            for letter, style in row[differs[0] : differs[-1] + 1]:
                if style != last:
                    out.append("\x1b[0m" + sgr(dict(style)))
                    last = style
                out.append(letter)
        return "".join(out) + "\x1b[0m"

    def svg(self):
        width, height = 8.4, 17
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * width + 20:.0f} {HEIGHT * height + 20}" '
            'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
            "<title>lop at work on examples/c-crash</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        ]
        for y, row in enumerate(self.cells):
            at = 0
            while at < WIDTH:
                end = at
                while end < WIDTH and row[end][1] == row[at][1]:
                    end += 1
                out += run(at, y, "".join(cell[0] for cell in row[at:end]), dict(row[at][1]), width, height)
                at = end
        return "\n".join(out + ["</svg>", ""])


def sgr(style):
    """The command for a style."""
    codes = [str(code) for code, name in FLAGS.items() if style.get(name)]
    for name, code in (("fg", 38), ("bg", 48)):
        if name in style:
            codes += [str(code), "5", str((COLOURS + BRIGHT).index(style[name]))]
    return f"\x1b[{';'.join(codes)}m" if codes else ""


def run(x, y, text, style, width, height):
    """A stretch of equal style."""
    fg, bg = style.get("fg", PLAIN), style.get("bg")
    if style.get("reverse"):
        fg, bg = bg or PAPER, fg
    left, top, out = 10 + x * width, 10 + y * height, []
    if bg:
        out.append(f'<rect x="{left:.1f}" y="{top}" width="{len(text) * width:.1f}" height="{height}" fill="{bg}"/>')
    if text.strip():
        kept = text.rstrip()
        more = ' font-weight="bold"' if style.get("bold") else ""
        more += ' font-style="italic"' if style.get("italic") else ""
        more += ' text-decoration="line-through"' if style.get("crossed") else ""
        length = f'textLength="{len(kept) * width:.1f}" lengthAdjust="spacingAndGlyphs"'
        out.append(f'<text x="{left:.1f}" y="{top + 13}" fill="{fg}" {length} xml:space="preserve"{more}>'
                   f"{html.escape(kept)}</text>")
    return out


def record(lop):
    """The output of a run with the times of its parts."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("input.c", "test.sh"):
            shutil.copy(os.path.join(ROOT, "examples", "c-crash", name), folder)
        child, master = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.execv(lop, ["lop", "-j2", "--ui", "tui", "./test.sh", "input.c"])
        start, parts = time.monotonic(), []
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            select.select([master], [], [])
            try:
                data = os.read(master, 65536)
            except OSError:
                data = b""
            if not data:
                break
            parts.append((time.monotonic() - start, decoder.decode(data)))
        if os.waitpid(child, 0)[1] != 0:
            sys.exit("lop did not reduce the example")
        for _, text in parts:
            if folder in text:
                sys.exit("the folder's name is in the recording")
        return parts


def results(folder, lop):
    """The results of a run: number of the test, tokens, and text."""
    listed = subprocess.run([lop, "history", folder], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in listed.splitlines()[1:]]
    for row in rows:
        text = subprocess.run([lop, "history", folder, "--at", row[0]], check=True, capture_output=True).stdout
        yield int(row[2].replace(",", "")), int(row[4].replace(",", "")), text.decode("utf-8", "replace")


def shrink(folder, lop):
    """An animation of the results, at equal distances on a logarithmic scale of their sizes."""
    name = os.path.basename(folder.rstrip("/")).removesuffix(".lop")
    everything = list(results(folder, lop))
    first, last = len(everything[0][2]), len(everything[-1][2])
    step = (math.log(first) - math.log(last)) / (STEPS - 1)
    chosen = [everything[0]]
    for result in everything[1:]:
        if math.log(len(chosen[-1][2])) - math.log(len(result[2])) >= step:
            chosen.append(result)
    if chosen[-1] is not everything[-1]:
        chosen.append(everything[-1])
    width, height, rows = 8.4, 18, 20
    time_of = [SECONDS / len(chosen)] * (len(chosen) - 1) + [HELD]
    total = sum(time_of)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * width + 40:.0f} {(rows + 3) * height + 30}" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">',
        f"<title>{html.escape(name)} shrinks from {first:,} to {last:,} bytes</title>",
        "<style>g.f{visibility:hidden}",
    ]
    at = 0.0
    for number, lasts in enumerate(time_of):
        begin, end = 100 * at / total, 100 * (at + lasts) / total
        before = f"0%,{begin - 0.001:.3f}%{{visibility:hidden}}" if number else ""
        after = f"{end:.3f}%,100%{{visibility:hidden}}" if number + 1 < len(time_of) else "100%{visibility:visible}"
        out.append(f"@keyframes k{number}{{{before}{begin:.3f}%,{end - 0.001:.3f}%{{visibility:visible}}{after}}}")
        out.append(f"#f{number}{{animation:k{number} {total:.1f}s infinite step-end}}")
        at += lasts
    out.append(f"@media (prefers-reduced-motion){{g.f{{animation:none!important}}#f{len(chosen) - 1}{{visibility:visible}}}}")
    out.append("</style>")
    out.append(f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>')
    for number, (test, tokens, text) in enumerate(chosen):
        lines = text.rstrip("\n").split("\n")
        share = (math.log(len(text)) - math.log(last) + 0.15) / (math.log(first) - math.log(last) + 0.15)
        head = f"{name}  {len(lines):,} lines  {len(text):,} bytes  {tokens:,} tokens"
        out.append(f'<g class="f" id="f{number}">')
        out.append(f'<text x="20" y="28" fill="{BRIGHT[2]}" font-weight="bold" xml:space="preserve">{html.escape(head)}</text>')
        out.append(f'<text x="{COLUMNS * width + 20:.0f}" y="28" fill="{PLAIN}" text-anchor="end">test {test:,}</text>')
        out.append(f'<rect x="20" y="38" width="{COLUMNS * width * share:.0f}" height="5" fill="{BRIGHT[4]}"/>')
        for row, line in enumerate(lines[:rows]):
            line = line.replace("\t", "    ").replace("\r", "")[:COLUMNS]
            if line.strip():
                y = 38 + (row + 2) * height
                out.append(f'<text x="20" y="{y}" fill="{PLAIN}" xml:space="preserve">{html.escape(line)}</text>')
        if len(lines) > rows:
            y = 38 + (rows + 2) * height
            out.append(f'<text x="20" y="{y}" fill="{BRIGHT[0]}">… {len(lines) - rows:,} more lines</text>')
        out.append("</g>")
    with open(os.path.join(ROOT, "docs", "shrink.svg"), "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>", ""]))


def main():
    arguments = sys.argv[1:]
    folder = arguments[1] if arguments[:1] == ["--shrink"] else None
    program = arguments[2:] if folder else arguments
    lop = os.path.abspath(program[0] if program else os.path.join(ROOT, "target", "release", "lop"))
    if folder:
        shrink(folder, lop)
    else:
        screen_of_example(lop)


def screen_of_example(lop):
    parts = record(lop)
    apart = max(parts[-1][0] / FRAMES, 0.1)
    screen, shown, picture, frames, taken = Screen(), None, None, [], False
    for at, text in parts:
        begins, ends = text.find("\x1b[?1049h"), text.find("\x1b[?1049l")
        if not taken and begins < 0:
            frames.append((at, text))
            continue
        if begins >= 0:
            frames.append((at, text[:begins] + "\x1b[?1049h\x1b[?25l"))
            text, taken = text[begins:], True
            ends = text.find("\x1b[?1049l")
        screen.feed(text[:ends] if ends >= 0 else text)
        if ends >= 0:
            frames.append((at, text[ends:]))
            taken = False
        elif shown is None or at - frames[-1][0] >= apart:
            frames.append((at, screen.rows_that_differ(shown)))
            shown = [list(row) for row in screen.cells]
        if taken and screen.is_interesting():
            picture = screen.svg()
    with open(os.path.join(ROOT, "docs", "lop.cast"), "w", encoding="utf-8") as out:
        head = {"version": 2, "width": WIDTH, "height": HEIGHT, "title": "lop on examples/c-crash"}
        print(json.dumps(head), file=out)
        for at, text in frames:
            print(json.dumps([round(at, 2), "o", text], ensure_ascii=False), file=out)
    with open(os.path.join(ROOT, "docs", "screen.svg"), "w", encoding="utf-8") as out:
        out.write(picture or screen.svg())


main()
