#!/bin/sh
# Makes what a release is made of, without CUDA, in build/release: the sources and a wheel for Python, the packages of
# `make packages`, and their checksums. What is not ready is refused before anything is built. `release.sh 1.2.3 check` ends
# there. TAG=yes tags the commit at the end; nothing is ever pushed or uploaded.
set -eu
cd "$(dirname "$0")/.."
version=${1:-}
refuse() {
  echo "release: $*" >&2
  exit 1
}

# ---- what must be so ----
echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' || refuse "say which one: make release VERSION=1.2.3 (this is \"$version\")"
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || refuse "this is no clone of the repository, so that nobody could tell what was released"
changed=$(git status --porcelain)
[ -z "$changed" ] || refuse "the tree is not clean; commit or remove first:
$changed"
# The one place where it stands: tools, library, packages and the wheel take it from there.
written=$(sed -nE 's/^project\(sparsmith VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ "$written" = "$version" ] || refuse "CMakeLists.txt says $written; change it there, where the version stands"
heading=$(grep -E "^## $(echo "$version" | sed 's/\./\\./g')( |\$)" CHANGELOG.md || true)
[ -n "$heading" ] || refuse "CHANGELOG.md has no heading \"## $version\""
case $heading in *unreleased*) refuse "CHANGELOG.md says \"$heading\"; put the date in its place" ;; esac
tagged=$(git rev-parse -q --verify "v$version^{commit}" || true)
[ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] || refuse "v$version is a tag of another commit, $tagged"
[ "${2:-}" != check ] || { echo "release: $version can be made of this tree"; exit 0; }

# ---- what it is made of ----
out=build/release venv=build/python
rm -rf "$out"
mkdir -p "$out/raw"
make --no-print-directory packages
said=$(build/openmp/tools/spconv --version)
case $said in "spconv $version "*) ;; *) refuse "spconv --version says \"$said\"" ;; esac
cp build/openmp/packages/*[-_]"$version"[-_]* "$out"

python3 -c 'import ensurepip' 2>/dev/null || sh cmake/setup.sh python3-venv python3-dev
python3 -m venv "$venv"
PATH="$(pwd)/$venv/bin:$PATH"
python -m pip install --quiet --disable-pip-version-check build
python -m build --sdist --outdir "$out" . >"$out/raw/sdist.log" 2>&1 || { cat "$out/raw/sdist.log"; refuse "no archive of the sources"; }
sh cmake/wheel.sh "$out" python
python -m pip install --quiet --disable-pip-version-check --force-reinstall "$out/"*.whl
said=$(cd / && "$OLDPWD/$venv/bin/python" -c 'import sparsmith; print(sparsmith.__version__)')
[ "$said" = "$version" ] || refuse "the wheel is of version $said"
rm -rf "$out/raw"
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)

# ---- what is left to a person ----
if [ "${TAG:-}" = yes ]; then
  [ -n "$tagged" ] || git tag -a "v$version" -m "Sparsmith $version"
  echo "release: v$version is a tag of this clone"
else
  echo "release: nothing was tagged; git tag -a v$version -m 'Sparsmith $version' does, or TAG=yes"
fi
cat <<END
release: left to you, none of which this did:
  make test && make sanitize            and on a GPU tests/gpu/check.sh
  git push origin v$version             once it is tagged
  the files of $out where releases are kept; twine upload for the wheel and the sources
END
