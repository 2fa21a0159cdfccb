# The Python client: what its tests need, in build/sdk-venv, made anew when the list of it changes. Sourced.
install_sdk() {
  mkdir -p build/logs
  local own=$ROOT/build/sdk-venv now
  now=$(sha256sum <sdk/python/tests/requirements.txt)
  [[ ! -f $own/.installed || $(cat "$own/.installed") != "$now" ]] || return 0
  say "installing what the Python client is tested with into build/sdk-venv"
  rm -rf "$own"
  { "$PYTHON" -m venv "$own" && "$own/bin/pip" install -q --disable-pip-version-check -r sdk/python/tests/requirements.txt; } \
    >build/logs/sdk-venv.log 2>&1 || {
    tail -n 20 build/logs/sdk-venv.log >&2
    die "the packages could not be installed; build/logs/sdk-venv.log has the whole story"
  }
  echo "$now" >"$own/.installed"
}

# The wheel, into the folder that is given.
build_sdk() { # FOLDER
  install_sdk && "$PYTHON" sdk/python/generate.py --check &&
    build/sdk-venv/bin/python -m build --wheel --no-isolation --outdir "$1" sdk/python >build/logs/sdk-wheel.log 2>&1 || {
    tail -n 20 build/logs/sdk-wheel.log >&2
    die "the wheel could not be built; build/logs/sdk-wheel.log has the whole story"
  }
}
