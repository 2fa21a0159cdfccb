# ./x demo [--exit]: a server on SQLite in a temp folder, one shell job that counts the words of the README and publishes
# the figure, its log as it comes, and what the job left. Serves on until Ctrl-C, unless --exit is given.
stay=yes
case ${1:-} in
  '') ;;
  --exit) stay=no ;;
  *) die "demo knows only --exit, not \"$1\"" ;;
esac
. scripts/build.sh
waybill=$ROOT/build/release/waybill
folder=$(mktemp -d /tmp/waybill-demo-XXXXXX)
port=$(free_port 9090)
url=http://127.0.0.1:$port
server=
end_demo() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap end_demo EXIT
trap 'exit 130' INT TERM

say "starting build/release/waybill serve on $url, with SQLite in $folder"
(cd "$folder" && exec env DEMO_ADDR="127.0.0.1:$port" "$waybill" serve --config "$ROOT/examples/demo/waybill.yaml") \
  >"$folder/server.log" 2>&1 </dev/null &
server=$!
for ((tries = 0; ; tries++)); do
  curl -fsS -o /dev/null "$url/readyz" 2>/dev/null && break
  kill -0 "$server" 2>/dev/null && ((tries < 300)) || {
    cat "$folder/server.log" >&2
    die "the server did not start"
  }
  sleep 0.1
done

export WAYBILL_URL=$url WAYBILL_USER=${USER:-demo}
say "submitting a job that counts the words of README.md; its log:"
job=$("$waybill" submit --name "count the README's words" --command type:count-words --cluster type:local \
  --tag demo:yes --context "arguments=[\"$ROOT/README.md\"]" -o name)
job=${job##*/}
"$waybill" logs "$job" -f
"$waybill" wait "$job" >/dev/null
say "the job, as it ended:"
"$waybill" get job "$job" -o yaml
cat >&2 <<TEXT

== to look at:
   $url/ui/jobs/$job
   $url/api/v1/job/$job
   $url/api/v1/jobs
   $url/api/v1/job/$job/events
   $url/openapi.json
   $url/metrics
TEXT
if [[ $stay == yes ]]; then
  say "serving until Ctrl-C; try: WAYBILL_URL=$url build/release/waybill list jobs"
  wait "$server"
fi
