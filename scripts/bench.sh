# ./x bench [--short] [--rows N] [--seconds S] [--only postgresql|sqlite|templates]: figures beside those of the databases
# themselves, in one run. Takes about ten minutes; --short one.
build_targets release product template_bench attributes_bench && "$PYTHON" bench/run.py "$@"
