# ./x build: the web UI, then the program that embeds it, optimised, as build/release/waybill.
. scripts/web.sh
build_web
say "building build/release/waybill"
build_targets release product
