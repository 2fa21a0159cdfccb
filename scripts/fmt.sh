# ./x fmt: formats every C++ file that git knows of, or that is new.
cxx_files | xargs -r -P "$(nproc)" -n 16 clang-format-19 -i
