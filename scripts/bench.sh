# ./x bench [--short] [--rows N] [--seconds S] [--only PART]: figures beside those of the databases themselves, in one run.
# The parts: postgresql, sqlite, postgresql-history, sqlite-history, templates. Takes about twenty minutes; --short two.
build_targets release product template_bench attributes_bench history_bench && "$PYTHON" bench/run.py "$@"
