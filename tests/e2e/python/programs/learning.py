"""scikit-learn: estimators whose loops are OpenMP's."""

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_classification
from sklearn.decomposition import NMF
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances, pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier

from results import show

x, y = make_classification(n_samples=4000, n_features=20, n_informative=10, random_state=3)

for algorithm in ("lloyd", "elkan"):
    means = KMeans(8, algorithm=algorithm, n_init=3, random_state=5).fit(x)
    show(f"k-means, {algorithm}", np.sort(means.cluster_centers_, axis=0))
boosted = HistGradientBoostingClassifier(max_iter=40, random_state=5).fit(x, y)
show("boosting", boosted.predict_proba(x))
regression = HistGradientBoostingRegressor(max_iter=40, random_state=5).fit(x, x[:, 0] * y)
show("regression", regression.predict(x))
show("distances", pairwise_distances(x[:1500], metric="euclidean"))
show("nearest", pairwise_distances_argmin(x, x[:200]))
show("neighbours", KNeighborsClassifier(9, algorithm="brute").fit(x, y).predict_proba(x))
near = RadiusNeighborsClassifier(6.0, algorithm="brute", outlier_label="most_frequent").fit(x, y)
show("in a radius", near.predict_proba(x))
show("clusters", HDBSCAN(min_cluster_size=20, copy=True).fit(x[:1200]).labels_)
show("factors", NMF(4, init="nndsvda", random_state=5, max_iter=300).fit_transform(np.abs(x)))
# Its loops add up floats in the order in which threads come, on any runtime.
show("t-SNE", round(TSNE(random_state=5, max_iter=300, init="pca").fit(x[:300]).kl_divergence_, 5))
