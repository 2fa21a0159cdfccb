# ./x docs: writes the generated pages anew. With --check (as ./x test does) it only says which are not current.
#   docs/configuration.md, docs/waybill.schema.json   from the settings that the program declares
#   docs/plugins.md                                   from what the executors declare
#   docs/man/                                         from the commands that the program declares
#   docs/rest.md                                      from openapi/openapi.json
mode=${1:-write}
program=build/release/waybill
build_targets release product
[[ -x $program ]] || die "there is no $program"

generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
"$program" config schema >"$generated/waybill.schema.json"
"$program" config schema --format markdown >"$generated/configuration.md"
"$program" config schema --format plugins >"$generated/plugins.md"
mkdir "$generated/man"
"$program" generate-man "$generated/man"

stale=0
for page in "$generated"/*; do
  name=docs/$(basename "$page")
  if [[ $mode == --check ]]; then
    diff -ruN "$name" "$page" || stale=1
  elif [[ -d $page ]]; then
    rm -rf "$name"
    install -D -m 644 -t "$name" "$page"/*
  else
    install -m 644 "$page" "$name"
  fi
done
if [[ $mode == --check ]]; then
  "$PYTHON" scripts/rest_docs.py --check || stale=1
else
  "$PYTHON" scripts/rest_docs.py
fi
((stale == 0)) || die "these pages are older than the program; ./x docs writes them"
