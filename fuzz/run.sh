#!/usr/bin/env bash
# Runs the fuzz targets one after the other, ten minutes each: fuzz/run.sh [SECONDS [TARGET...]]
# Stops at the first finding, prints where the file is, and ends with code 1. Files that were found useful are kept in fuzz/corpus, so that the
# next run begins with them.
# Requires a nightly toolchain of Rust and cargo-fuzz: cargo install cargo-fuzz
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=${1:-600}
shift || true
targets=("$@")
if ((!${#targets[@]})); then
    for file in fuzz_targets/*.rs; do
        targets+=("$(basename "$file" .rs)")
    done
fi

# The simulators use several threads; a fuzz target is one thread.
export RAYON_NUM_THREADS=1
# Seconds for one file. A scene may generate 500,000 blocks; checks of memory make that slow.
patience() {
    case $1 in
    scene | scene_run) echo 60 ;;
    *) echo 10 ;;
    esac
}

for target in "${targets[@]}"; do
    printf '\n== %s, %s s\n' "$target" "$seconds"
    corpus=$PWD/corpus/$target
    mkdir -p "$corpus"
    export FUZZ_SEEDS=$corpus
    if ! cargo +nightly fuzz run "$target" "$corpus" -- -max_total_time="$seconds" -timeout="$(patience "$target")" -rss_limit_mb=2048 \
        -malloc_limit_mb=1024 -max_len=65536 -print_final_stats=1; then
        printf '\n%s: found a file, it is in fuzz/artifacts/%s\n' "$target" "$target" >&2
        exit 1
    fi
done
printf '\n== no findings\n'
