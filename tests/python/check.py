#!/usr/bin/env python3
"""Runs the tests of the package for Python: python3 tests/python/check.py PACKAGE-FOLDER

Exit 77: nothing to run with.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

missing = [module for module in ("pytest", "numpy", "scipy") if importlib.util.find_spec(module) is None]
if missing:
    print(f"python: SKIPPED, {sys.executable} has no {', '.join(missing)}")
    sys.exit(77)
environment = dict(os.environ, PYTHONPATH=os.pathsep.join([sys.argv[1], *filter(None, [os.environ.get("PYTHONPATH")])]),
                   PYTHONDONTWRITEBYTECODE="1")
sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", HERE], env=environment).returncode)
