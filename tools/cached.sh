# cached.sh - for the scripts that unpack Debian's packages into the cache that
# all clones share. Source it; then
#
#   cached_name NAME FILE...    $root is where it is, or will be: its name has a
#                               hash of these files and of this one
#   cached_begin                ends the script when $root is there; or else one
#                               script at a time goes on, to fill $new
#   debian_unpack FOLDER SUITE PACKAGE...
#                               the packages and all they depend on, unpacked
#                               below $new and never installed; a suite such as
#                               trixie-backports brings trixie along
#   debian_lists                apt knows what this machine's sources offer
#   cached_end                  $new becomes $root
#
# Nothing half-made is ever seen under the final name, however a script ends.

cached_fail() {
    [ ! -s "$new/log" ] || tail -n 20 "$new/log" >&2
    echo "$(basename "$0"): $*" >&2
    exit 1
}

cached_name() {
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/millrace
    name=$1
    shift
    root=$cache/$name-$(cat "$@" "$here/cached.sh" | sha256sum | cut -c1-12)
    new=$root.new
}

cached_begin() {
    [ ! -e "$root/ready" ] || exit 0
    mkdir -p "$cache"
    exec 9>"$cache/$name.lock"
    flock 9
    [ ! -e "$root/ready" ] || exit 0 # somebody else made it meanwhile
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    rm -rf "$new" "$root"
    mkdir "$new"
}

cached_end() {
    rm -f "$new/log"
    touch "$new/ready"
    mv "$new" "$root"
}

# The mirror that this machine's apt already uses for Debian.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
        'Origin: Debian' 'Label: Debian' | head -n 1
}

debian_lists() {
    mirror=$(debian_mirror)
    [ -z "$mirror" ] || return 0
    apt-get update -q >"$new/log" 2>&1 || tail -n 5 "$new/log" >&2
    mirror=$(debian_mirror)
    [ "$mirror" ] || cached_fail "apt's sources name no Debian mirror"
}

debian_unpack() {
    folder=$1
    suite=$2
    shift 2
    debian_lists
    base=${suite%-backports}
    sources="deb $mirror $base main"
    [ "$base" = "$suite" ] || sources="$sources
deb $mirror $suite main"
    echo "$sources" | mmdebstrap --quiet --variant=extract \
        --aptopt='Acquire::Check-Valid-Until "false"' \
        --aptopt="APT::Default-Release \"$suite\"" \
        --include="$(echo "$*" | tr ' ' ,)" \
        "$base" "$new/$folder" - >"$new/log" 2>&1 ||
        cached_fail "cannot fetch $* of $suite from $mirror"
}
