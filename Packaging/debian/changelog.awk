# Makes a Debian changelog of CHANGELOG.md. What is unreleased is the version and the date that it is given.
function finish() { if (heading) printf "\n -- %s  %s\n\n", maintainer, day }

/^## \[/ {
    finish()
    heading = substr($2, 2, length($2) - 2)
    day = date
    if (heading == "Unreleased") heading = version
    else { command = "LC_ALL=C date -u -R -d " $4; command | getline day; close(command) }
    printf "utter (%s) unstable; urgency=medium\n", heading
    next
}
!heading { next }
/^### / { printf "\n  [ %s ]\n", $2; next }
/^- / { sub(/^- /, "  * "); print; next }
/^  / { sub(/^  /, "    "); print; next }
# What stands under a heading without a mark is one entry.
/./ { print (isEntry ? "    " : "\n  * ") $0; isEntry = 1; next }
{ isEntry = 0 }
END { finish() }
