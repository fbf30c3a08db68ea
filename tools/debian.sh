#!/bin/sh
# Install the named Debian packages where that is possible; otherwise say why not, and go on.
# A package whose command has another name is written command:package.
missing=""
for named in "$@"; do
    command="${named%%:*}"
    package="${named##*:}"
    command -v "$command" >/dev/null 2>&1 || [ -x "/usr/games/$command" ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "skipped:$missing (this system has no apt-get); tests that need them are skipped"
elif [ "$(id -u)" != 0 ]; then
    echo "skipped:$missing (not root); to run their tests: sudo apt-get install$missing"
else
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null 2>&1
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 ||
        echo "skipped:$missing (apt-get cannot install them here); tests that need them are skipped"
fi
exit 0
