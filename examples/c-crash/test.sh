#!/bin/sh
# The interestingness test: exit 0 when input.c still shows the crash, anything else when not.
#
# lop starts it in a fresh folder in which there is only the candidate, under the name of the file that
# is reduced. Whatever is written here is thrown away with the folder.

# 1. The candidate must be a program. What only half compiles is not interesting, and would soon be
#    all that is left. Some warnings are errors, because lop finds that a file such as `main;` compiles,
#    and crashes, and that a number makes a bad pointer: crashes that nobody wants to know.
cc -Werror=main -Werror=implicit-int -Werror=implicit-function-declaration \
    -Werror=int-conversion -Werror=incompatible-pointer-types -o program input.c 2>/dev/null || exit 1

# 2. It must die of a segmentation fault: a shell adds 128 to the number of the signal, which is 11.
#    Half of a program is often an endless loop: lop stops it in the end, but limits are quicker.
#    No core file, one second of CPU, and at most 100 blocks of output.
ulimit -c 0; ulimit -t 1; ulimit -f 100
./program >output 2>/dev/null
[ $? -eq 139 ] || exit 1

# 3. And it must be *this* crash. The last thing that the program says names the line it works on.
#    Without such a condition lop finds the smallest file that crashes for any reason at all.
tail -n 1 output | grep -q 'median'
