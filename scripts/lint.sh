# ./x lint [BASE]: format of all files, clang-tidy on the .cc files changed since BASE (minutes each with Beast in it).
base=${1:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)}
cxx_files | xargs -r -P "$(nproc)" -n 16 clang-format-19 --dry-run -Werror
configure dev
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cc' 'tests/*.cc' 'bench/*.cc')
((${#changed[@]} == 0)) || printf '%s\n' "${changed[@]}" |
  xargs -P "$(jobs)" -n 1 clang-tidy-19 -p build/dev --quiet --warnings-as-errors='*'
"$PYTHON" -m pytest -q -p no:cacheprovider tests/arch
