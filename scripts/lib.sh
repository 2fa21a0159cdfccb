# What the commands of ./x share. Sourced, with ROOT set and as the working directory.

# Debian's own interpreter: another python3 first on PATH may lack the modules that the tests need.
PYTHON=/usr/bin/python3
SYMBOLIZER=/usr/bin/llvm-symbolizer-19
export PYTHONDONTWRITEBYTECODE=1

say() { printf '== %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# As many compilers at once as there are cores, but no more than memory bears (1.5 GB each).
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

ensure_packages() {
  local wanted installed missing sudo=()
  wanted=$(sed 's/#.*//; /^ *$/d' scripts/packages.txt | sort -u)
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p' | sort -u || true)
  missing=$(comm -23 <(echo "$wanted") <(echo "$installed"))
  [[ -n $missing ]] || return 0
  command -v apt-get >/dev/null || die "these Debian packages are missing and there is no apt-get: ${missing//$'\n'/ }"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "these Debian packages are missing; install them as root: ${missing//$'\n'/ }"
    sudo=(sudo)
  fi
  say "installing Debian packages: ${missing//$'\n'/ }"
  mkdir -p build/logs
  # shellcheck disable=SC2086
  {
    "${sudo[@]}" apt-get update &&
      "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
  } >build/logs/packages.log 2>&1 </dev/null || {
    tail -n 20 build/logs/packages.log >&2
    die "the packages could not be installed; build/logs/packages.log has the whole story"
  }
}

# Every CMake call goes through here, so that a shared ccache finds its entries from any checkout.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
configure() { # PRESET
  cmake --preset "$1" -Wno-dev >/dev/null || die "cmake --preset $1 failed"
}
build_targets() { # PRESET TARGET…
  local preset=$1
  shift
  configure "$preset" && cmake --build "build/$preset" -j "$(jobs)" --target "$@"
}

cxx_files() { git ls-files --cached --others --exclude-standard '*.cc' '*.h'; }
version() { sed -n 's/^project(waybill VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt; }

# A free loopback port; the given one if nothing listens there.
free_port() { # [WISH]
  "$PYTHON" - "${1:-0}" <<'PY'
import socket, sys
for port in (int(sys.argv[1]), 0):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(s.getsockname()[1])
        break
PY
}
