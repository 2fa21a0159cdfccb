# ./x lint [BASE | --all]: format of all files, clang-tidy on the .cc files changed since BASE, or on all of them (minutes
# each with Beast in it: hours).
since=${1:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)}
sources=('src/*.cc' 'tests/*.cc' 'bench/*.cc')
if [[ $since == --all ]]; then
  mapfile -t chosen < <(git ls-files -- "${sources[@]}")
else
  git rev-parse --quiet --verify "$since^{commit}" >/dev/null ||
    die "\"$since\" is no commit to compare with; ./x lint [BASE | --all]"
  mapfile -t chosen < <({ git diff --name-only --diff-filter=d "$since" -- "${sources[@]}" &&
    git ls-files --others --exclude-standard -- "${sources[@]}"; } | sort -u)
fi
cxx_files | xargs -r -P "$(nproc)" -n 16 clang-format-19 --dry-run -Werror
say "clang-tidy on ${#chosen[@]} files"
if ((${#chosen[@]} > 0)); then
  build_targets dev generated_headers
  printf '%s\n' "${chosen[@]}" | xargs -P "$(jobs)" -n 1 clang-tidy-19 -p build/dev --quiet --warnings-as-errors='*'
fi
"$PYTHON" -m pytest -q -p no:cacheprovider tests/arch
