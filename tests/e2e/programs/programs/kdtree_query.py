"""pykdtree: neighbours of many points."""

import numpy as np
from pykdtree.kdtree import KDTree

rng = np.random.default_rng(36)
tree = KDTree(rng.random((200_000, 3)))
for turn in range(4):
    distance, index = tree.query(rng.random((100_000, 3)), k=4)
    print(index.sum(), repr(distance.sum()), index[::20_000].tolist())
