# ./x bench [--short] [--rows N] [--seconds S] [--only postgresql|sqlite]: figures beside those of the databases
# themselves, in one run. Takes about ten minutes; --short one.
build_targets release product && "$PYTHON" bench/run.py "$@"
