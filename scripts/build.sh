# ./x build: the program, optimised, as build/release/waybill.
say "building build/release/waybill"
build_targets release product
