# ./x soak [MINUTES]: the chaos tests with more jobs, bigger logs (10 GB) and more faults, again and again until the time
# is over, at least once. Seeds are printed.
minutes=${1:-30}
[[ $minutes =~ ^[1-9][0-9]*$ ]] || die "\"$minutes\" is no number of minutes; ./x soak [MINUTES]"
build_targets release product
export WAYBILL_SOAK_MINUTES=$minutes
SECONDS=0 # what was built before doesn't count
while :; do
  "$PYTHON" -m pytest -p no:cacheprovider -x -q -rA --tb=short tests/chaos
  say "$((SECONDS / 60)) of $minutes minutes"
  ((SECONDS < minutes * 60)) || break
done
