#!/usr/bin/env bash
# A sample.
set -euo pipefail

name=${1:-none}
declare -a list=(one two "three four")
export PATH="$HOME/bin:$PATH"

run() {
    local file="$1"
    if [[ -f $file && $name != "none" ]]; then
        cat "$file" | grep -v '^#' >out.txt 2>&1
    elif test -d "$file"; then
        ls "$file" || return 1
    else
        echo "no $file" >&2
    fi
}

for each in "${list[@]}"; do
    run "$each" && continue
done

while read -r line; do
    ((count += 1))
    echo "$((count * 2)) $line"
done <input.txt

case "$name" in
    a | b) echo one ;;
    *) echo "$(date) $name" ;;
esac

cat <<END
some $name
END
