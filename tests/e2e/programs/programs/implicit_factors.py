"""implicit: alternating least squares and a search for similar items."""

import numpy as np
import scipy.sparse
from implicit.als import AlternatingLeastSquares
from implicit.nearest_neighbours import CosineRecommender

rng = np.random.default_rng(36)
users, items, known = 12_000, 4_000, 300_000
ratings = scipy.sparse.csr_matrix(
    (rng.random(known, dtype=np.float32) + 1,
     (rng.integers(0, users, known), rng.integers(0, items, known))), shape=(users, items))
model = AlternatingLeastSquares(factors=48, iterations=6, random_state=36, use_gpu=False)
model.fit(ratings, show_progress=False)
for value in np.asarray(model.item_factors).ravel()[::9001]:
    print(repr(float(value)))
near = CosineRecommender(K=5)
near.fit(ratings, show_progress=False)
print("cosine", repr(float(near.similarity.sum())), near.similarity.nnz)
