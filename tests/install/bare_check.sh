#!/bin/sh
# The packages on machines that have nothing: makes them here, and installs, uses and removes them in minimal roots of Debian 12
# (bookworm) and Ubuntu 24.04 (noble). Wants root, debootstrap and, for packages that both take, a Debian 12; for the wheels
# python3.11 and python3.12 on PATH. ROOTS names a folder that keeps the roots for another time, SUITES chooses of the two,
# DEBIAN_MIRROR and UBUNTU_MIRROR say where they come from.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "bare-check: SKIPPED, it needs root and debootstrap"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
roots=${ROOTS:-$work/roots} given=$work/given root=$work/root
mkdir -p "$roots" "$given"

# quietly COMMAND...: what it says is of interest where it fails.
quietly() {
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "bare-check: FAILED: $*" >&2; exit 1; }
}

# inside ROOT COMMAND...: with nothing of this machine but its network; what is mounted goes away with the command.
inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$1/proc" && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$@"' sh "$@"
}

make_root() {
  case $1 in
  bookworm) set -- "$1" "$roots/$1.part" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" ;;
  # All suites of Ubuntu are made by one script, and Debian's debootstrap does not know of the newer ones.
  noble) set -- "$1" "$roots/$1.part" "${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}" /usr/share/debootstrap/scripts/gutsy ;;
  *) echo "bare-check: $1 is neither bookworm nor noble" >&2; exit 1 ;;
  esac
  echo "== $1: a minimal root from $3"
  rm -rf --one-file-system "$2"
  components=main
  [ "$1" = bookworm ] || components=main,universe
  quietly unshare --mount debootstrap --variant=minbase --components=$components "$@"
  grep '^W: ' "$work/log" || true # Debian has no keyring of Ubuntu's: whose that root is then nobody has checked
  quietly inside "$2" apt-get -q update
  mv "$2" "$roots/$1"
}

# A copy for each trial, so that none finds what another needed; what is tried lies in /given.
fresh_root() {
  rm -rf --one-file-system "$root"
  cp -a "$roots/$1" "$root"
  cp -r "$given" "$root/given"
}

install() {
  quietly inside "$root" apt-get -qy --no-install-recommends install "$@"
}

# Neither a file that the package installed is left, nor one by our name but in the home and in /tmp of who used it.
remove() {
  inside "$root" dpkg -L "$1" >"$work/files"
  quietly inside "$root" apt-get -qy purge "$1"
  while read -r file; do
    if [ ! -d "$root$file" ] && { [ -e "$root$file" ] || [ -L "$root$file" ]; }; then echo "$file"; fi
  done <"$work/files" >"$work/left"
  find "$root/usr" "$root/etc" "$root/var" -iname '*sparsmith*' >>"$work/left"
  [ ! -s "$work/left" ] || { echo "bare-check: FAILED: $1 left" >&2; cat "$work/left" >&2; exit 1; }
}

make --no-print-directory packages
version=$(sed -nE 's/^project\(sparsmith VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
cp -r tests/install/bare/. "$given"
cp build/openmp/packages/sparsmith_"$version"_*.deb "$given/tools.deb"
cp build/openmp/packages/libsparsmith-dev_"$version"_*.deb "$given/library.deb"
cp build/openmp/packages/sparsmith-"$version"-linux-*.tar.gz "$given/tools.tar.gz"

without=""
for suite in ${SUITES:-bookworm noble}; do
  [ -d "$roots/$suite" ] || make_root "$suite"
  # shellcheck disable=SC1090
  name=$(. "$roots/$suite/etc/os-release" && echo "$PRETTY_NAME")

  echo "== $name: the package of the tools"
  fresh_root "$suite"
  install /given/tools.deb
  inside "$root" sh /given/tools.sh /usr
  remove sparsmith

  echo "== $name: the package of the library"
  fresh_root "$suite"
  install g++ cmake make
  install /given/library.deb
  quietly inside "$root" sh -c 'cmake -S /given -B /build && cmake --build /build && cd /build && ./program'
  rm -r "$root/build"
  remove libsparsmith-dev

  echo "== $name: the archive"
  fresh_root "$suite"
  # shellcheck disable=SC2016
  inside "$root" sh -c 'tar -xzf /given/tools.tar.gz -C /opt && cd /opt/sparsmith-* && PATH="$PWD/bin:$PATH" sh /given/tools.sh "$PWD"'

  echo "== $name: the wheel"
  fresh_root "$suite"
  install python3 python3-venv
  python=python$(inside "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  if ! "$python" -c 'import ensurepip, sysconfig; open(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
    echo "bare-check: SKIPPED, there is no $python with venv and headers here to make it with"
    without="$without $python"
    continue
  fi
  "$python" -m venv "$work/$python"
  quietly sh cmake/wheel.sh "$root/wheels" "$work/$python/bin/python"
  quietly "$work/$python/bin/python" -m pip --disable-pip-version-check download --only-binary :all: numpy -d "$root/wheels"
  ls "$root/wheels"
  quietly inside "$root" python3 -m venv /venv
  quietly inside "$root" /venv/bin/pip install --no-index --find-links /wheels sparsmith
  inside "$root" sh -c 'cd /tmp && /venv/bin/python /given/package.py'
done
echo "bare-check: passed${without:+, but without a wheel for$without}"
