# ./x test [STAGE…]: everything CI runs. Every stage writes build/logs/STAGE.log and counts its tests from the
# runners' JUnit files; a stage that fails doesn't stop those that can still tell something. A stage that ran no test,
# or skipped one, has failed. The last line is the sum: `N passed, N failed`.

. scripts/web.sh
STAGES=(release format arch docs web asan tsan template kube integration parity sdk spark browser chaos e2e bench)

# Stages run where `set -e` has no effect (their exit code is looked at): their steps are joined with &&.
stage_release() { build_web && build_targets release product; }
stage_format() { cxx_files | xargs -r -P "$(nproc)" -n 16 clang-format-19 --dry-run -Werror; }
stage_arch() { run_pytest arch tests/arch; }
stage_docs() { . scripts/docs.sh --check; }
stage_asan() {
  export ASAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER:strict_string_checks=1:check_initialization_order=1
  export UBSAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER:print_stacktrace=1
  build_targets asan tests && run_ctest asan 'unit|conformance'
}
stage_web() {
  build_web && cd web && npm run check &&
    npm test -- --reporter=default --reporter=junit --outputFile.junit="$ROOT/build/logs/web.xml"
}
# The real program, in Chromium. A fresh clone of one stage alone has no program yet: ./x build makes it.
stage_browser() {
  install_web && node --test --test-concurrency=1 --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=junit --test-reporter-destination=build/logs/browser.xml web/browser/
}
# Only what shares memory between threads: TSan is slow to build and to run.
stage_tsan() {
  export TSAN_OPTIONS=external_symbolizer_path=$SYMBOLIZER:suppressions=$ROOT/tests/support/tsan.supp:second_deadlock_stack=1
  build_targets tsan concurrent_tests && run_ctest tsan concurrent
}
# Random templates beside Go's answers; Go itself is asked too where it is there.
stage_template() { build_targets release template_compare && run_pytest template tests/fuzz; }
# The Kubernetes client against a real API server and etcd, which are built once (10 minutes) into a cache folder.
stage_kube() {
  bash tests/testbed/build --no-operator --no-spark && build_targets release waybill_kube_testbed_tests &&
    build/release/tests/kube/waybill_kube_testbed_tests --gtest_output="xml:$ROOT/build/logs/kube.xml"
}
stage_integration() { run_pytest integration tests/integration; }
stage_parity() { run_pytest parity tests/parity; }
# The Python client against the real program, and the public client of the same gRPC API.
stage_sdk() {
  . scripts/sdk.sh && install_sdk && "$PYTHON" sdk/python/generate.py --check &&
    build/sdk-venv/bin/python -m pytest -p no:cacheprovider -ra --tb=short --durations=5 \
      --junitxml=build/logs/sdk.xml sdk/python/tests
}
# Runs of the real Spark operator and spark-submit, recorded. The bed is built once (another 4 minutes).
stage_spark() {
  bash tests/testbed/build && . scripts/sdk.sh && install_sdk &&
    build/sdk-venv/bin/python -m pytest -p no:cacheprovider -ra --tb=short --durations=5 \
      --junitxml=build/logs/spark.xml tests/spark
}
stage_chaos() { run_pytest chaos tests/chaos; }
stage_e2e() { run_pytest e2e tests/e2e; }
stage_bench() { build_targets release product template_bench attributes_bench history_bench && run_pytest bench tests/bench; }

run_ctest() { # PRESET LABELS
  ctest --test-dir "build/$1" -L "$2" -j "$(nproc)" --no-tests=error --output-on-failure --timeout 300 \
    --output-junit "$ROOT/build/logs/$1.xml"
}
run_pytest() { # STAGE FOLDER
  "$PYTHON" -m pytest -p no:cacheprovider -ra --tb=short --durations=5 --junitxml="build/logs/$1.xml" "$2"
}

# Prints "TESTS FAILED SKIPPED" of a JUnit file.
count() {
  "$PYTHON" - "$1" <<'PY'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
total = lambda *names: sum(int(s.get(n) or 0) for s in suites for n in names)
print(total("tests"), total("failures", "errors"), total("skipped", "disabled"))
PY
}

passed=0 failed=0 failures=()
has_tests() { [[ $1 != release && $1 != format && $1 != docs ]]; }
run_stage() {
  local stage=$1 started=$SECONDS log=build/logs/$1.log code=0 tests=0 bad=0 skipped=0 what
  rm -f "build/logs/$stage.xml"
  ("stage_$stage") >"$log" 2>&1 </dev/null || code=$?
  if has_tests "$stage"; then
    [[ ! -s build/logs/$stage.xml ]] || read -r tests bad skipped < <(count "build/logs/$stage.xml")
    what="$((tests - bad - skipped)) of $tests tests passed"
    if ((tests == 0)); then what='no test ran' code=1; fi
    if ((skipped > 0)); then what+=", $skipped skipped" code=1; fi
    passed=$((passed + tests - bad - skipped))
  else
    what='ok'
  fi
  if ((code != 0)); then
    if ((bad == 0)); then bad=1; fi
    failed=$((failed + bad))
    failures+=("$stage")
    what="FAILED ($what); see $log"
  fi
  printf '%-12s %4d s  %s\n' "$stage" $((SECONDS - started)) "$what"
  if ((code != 0)); then grep -nE '(^|[^a-z])(FAILED|FAIL:|Failed|error:|ERROR|Failure)' "$log" | head -n 40 || tail -n 20 "$log"; fi
}

if [[ ${1:-} == --list ]]; then
  printf '%s\n' "${STAGES[@]}"
  exit 0
fi
mkdir -p build/logs
chosen=("$@")
if ((${#chosen[@]} == 0)); then chosen=("${STAGES[@]}"); fi
for stage in "${chosen[@]}"; do
  [[ " ${STAGES[*]} " == *" $stage "* ]] || die "there is no stage \"$stage\"; the stages are: ${STAGES[*]}"
done
for stage in "${chosen[@]}"; do run_stage "$stage"; done
((${#failures[@]} == 0)) || echo "failed stages: ${failures[*]}"
echo "$passed passed, $failed failed"
((failed == 0))
