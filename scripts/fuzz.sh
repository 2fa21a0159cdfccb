# ./x fuzz [NAME…] [SECONDS]: builds the targets of tests/fuzz with libFuzzer, ASan and UBSan and runs each (or those
# named) so long, from the corpus in tests/fuzz/corpus/NAME. What it finds lies in build/fuzz/crashes.
# ./x fuzz template --against-go [SECONDS]: compares the template engine with Go's text/template on random templates.
seconds=60 against_go=no names=()
for argument in "$@"; do
  case $argument in
    --against-go) against_go=yes ;;
    *[!0-9]*) names+=("$argument") ;;
    *) seconds=$argument ;;
  esac
done
if [[ $against_go == yes ]]; then
  [[ ${names[*]} == template ]] || die "--against-go is for the templates: ./x fuzz template --against-go"
  command -v go >/dev/null || die "--against-go needs Go on PATH; ./x test template compares with recorded answers"
  build_targets release template_compare
  say "comparing random templates with Go's for $seconds s"
  "$PYTHON" tests/fuzz/template_against_go/run.py build/release/tests/fuzz/template_compare --seconds "$seconds"
  exit
fi

((10#$seconds > 0)) || die "it must run for a second at least; ./x fuzz [NAME…] [SECONDS]"
for name in "${names[@]}"; do
  [[ -f tests/fuzz/${name}_fuzz.cc ]] ||
    die "there is no fuzz target \"$name\"; there are:$(printf ' %s' tests/fuzz/*_fuzz.cc | sed 's:tests/fuzz/::g; s:_fuzz\.cc::g')"
done
build_targets fuzz all
mkdir -p build/fuzz/crashes
export ASAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER UBSAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER
ran=0
while IFS= read -r -d '' target; do
  name=$(basename "$target")
  ((${#names[@]} == 0)) || [[ " ${names[*]} " == *" ${name#fuzz_} "* ]] || continue
  seeds=tests/fuzz/corpus/${name#fuzz_}
  mkdir -p "build/fuzz/corpus/$name"
  words=tests/fuzz/${name#fuzz_}.dict
  say "fuzzing $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/crashes/$name-" \
    $([[ -f $words ]] && echo "-dict=$words") "build/fuzz/corpus/$name" $([[ -d $seeds ]] && echo "$seeds") || die "$name found something: build/fuzz/crashes/$name-*"
  ran=$((ran + 1))
done < <(find build/fuzz/tests/fuzz -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' -print0 2>/dev/null)
((ran > 0)) || die "there is no fuzz target ${names[*]:-at all} in build/fuzz/tests/fuzz"
say "$ran targets found nothing"
