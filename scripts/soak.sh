# ./x soak [MINUTES]: the chaos tests with more jobs, bigger logs (10 GB) and more faults, again and again until the time
# is over. Seeds are printed.
minutes=${1:-30}
build_targets release product
export WAYBILL_SOAK_MINUTES=$minutes
while ((SECONDS < minutes * 60)); do
  "$PYTHON" -m pytest -p no:cacheprovider -x -q -rA --tb=short tests/chaos
  say "$((SECONDS / 60)) of $minutes minutes"
done
