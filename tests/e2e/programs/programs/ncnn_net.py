"""ncnn: convolutions with random weights, written here as a model's two files."""

import os
import struct
import sys
import tempfile

import ncnn
import numpy as np

rng = np.random.default_rng(36)
CHANNELS = [3, 32, 48, 48, 64, 64]
lines = ["Input data 0 1 data"]
weights = b""
for i, (before, after) in enumerate(zip(CHANNELS, CHANNELS[1:])):
    count = before * after * 9
    name = f"b{i}" if i else "data"
    lines.append(f"Convolution c{i} 1 1 {name} b{i + 1} 0={after} 1=3 4=1 5=1 6={count} 9=1")
    weights += struct.pack("I", 0) + rng.normal(0, 0.1, count).astype("f4").tobytes()
    weights += np.zeros(after, "f4").tobytes()
with tempfile.TemporaryDirectory() as folder:
    param, binary = os.path.join(folder, "net.param"), os.path.join(folder, "net.bin")
    with open(param, "w") as file:
        file.write(f"7767517\n{len(lines)} {len(lines)}\n" + "\n".join(lines) + "\n")
    with open(binary, "wb") as file:
        file.write(weights)
    net = ncnn.Net()
    net.opt.num_threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    net.load_param(param)
    net.load_model(binary)
    picture = ncnn.Mat(rng.random((3, 96, 96), dtype=np.float32)).clone()
    for turn in range(30):
        run = net.create_extractor()
        run.input("data", picture)
        _, out = run.extract(f"b{len(lines) - 1}")
    values = np.array(out)
    print(values.shape, *values.ravel()[::20011])
sys.stdout.flush()
