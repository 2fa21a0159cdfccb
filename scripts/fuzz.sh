# ./x fuzz [SECONDS]: builds the targets of tests/fuzz with libFuzzer, ASan and UBSan and runs each so long, from the
# corpus in tests/fuzz/corpus/NAME. What it finds lies in build/fuzz/crashes.
seconds=${1:-60}
build_targets fuzz all
mkdir -p build/fuzz/crashes
export ASAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER UBSAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER
ran=0
while IFS= read -r -d '' target; do
  name=$(basename "$target")
  seeds=tests/fuzz/corpus/${name#fuzz_}
  mkdir -p "build/fuzz/corpus/$name"
  words=tests/fuzz/${name#fuzz_}.dict
  say "fuzzing $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="build/fuzz/crashes/$name-" \
    $([[ -f $words ]] && echo "-dict=$words") "build/fuzz/corpus/$name" $([[ -d $seeds ]] && echo "$seeds") || die "$name found something: build/fuzz/crashes/$name-*"
  ran=$((ran + 1))
done < <(find build/fuzz/tests/fuzz -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' -print0 2>/dev/null)
((ran > 0)) || die "there is no fuzz target in build/fuzz/tests/fuzz"
say "$ran targets found nothing"
