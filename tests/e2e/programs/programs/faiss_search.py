"""faiss: nearest neighbours by a flat index and by one with inverted lists."""

import faiss
import numpy as np

rng = np.random.default_rng(36)
points = rng.random((40000, 48), dtype=np.float32)
flat = faiss.IndexFlatL2(48)
flat.add(points)
_, near = flat.search(points[:600], 10)
print("flat", near.sum(), near[::50].tolist())
lists = faiss.IndexIVFFlat(faiss.IndexFlatL2(48), 48, 128)
lists.train(points)
lists.add(points)
lists.nprobe = 16
_, near = lists.search(points[:2000], 10)
print("lists", near.sum(), near[::200].tolist())
