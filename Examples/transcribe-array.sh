#!/bin/bash
#SBATCH --job-name=utter
#SBATCH --array=0-15
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --requeue
# A Slurm job array that transcribes an archive; every task takes its share of the list. Submit it again after a failure or with
# more files: what is done is left out. Two recordings of one name in different tasks are an error: give each folder a list of its own.
#
#   find /archive -name '*.wav' >list
#   sbatch Examples/transcribe-array.sh list /archive/texts --locale en-us
set -euo pipefail
list=$1 folder=$2
shift 2
mkdir -p "$folder"
mapfile -t files < <(awk -v count="${SLURM_ARRAY_TASK_COUNT:-1}" -v task="${SLURM_ARRAY_TASK_ID:-0}" 'NR % count == task % count' "$list")
[ ${#files[@]} -gt 0 ] || exit 0
exec utter transcribe --resume --output-dir "$folder" --jobs "${SLURM_CPUS_PER_TASK:-1}" "$@" -- "${files[@]}"
