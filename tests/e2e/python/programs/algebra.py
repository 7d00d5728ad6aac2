"""numpy and scipy: dense and sparse linear algebra, transforms, statistics."""

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg
import scipy.spatial

from results import random, show

draw = random()
a = draw.standard_normal((400, 400))
spd = a @ a.T + 400 * np.eye(400)
show("product", a @ a)
show("eigenvalues", np.linalg.eigvalsh(spd))
show("solve", scipy.linalg.solve(spd, a[0]))
show("singular values", scipy.linalg.svdvals(a))
show("fft", np.abs(scipy.fft.fft2(a, workers=2)))
laplace = scipy.sparse.diags_array([-1, 2.01, -1], offsets=[-1, 0, 1], shape=(5000, 5000)).tocsr()
show("cg", scipy.sparse.linalg.cg(laplace, np.ones(5000), rtol=1e-12)[0])
show("sparse solve", scipy.sparse.linalg.spsolve(laplace.tocsc(), np.ones(5000)))
points = draw.random((2000, 3))
show("nearest", scipy.spatial.cKDTree(points).query(points, k=4, workers=2)[0])
show("least", scipy.optimize.minimize(scipy.optimize.rosen, [1.3, 0.7, 0.8, 1.9, 1.2]).fun + 1)
