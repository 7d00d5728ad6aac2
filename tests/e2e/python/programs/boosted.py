"""LightGBM and XGBoost: boosted trees."""

import lightgbm
import numpy as np
import xgboost

from results import random, show

x = random().random((4000, 12))
y = x[:, 0] * x[:, 1] + 0.1 * x[:, 2]
trees = lightgbm.train({"objective": "regression", "verbose": -1, "deterministic": True,
                        "force_row_wise": True}, lightgbm.Dataset(x, y), 30)
show("lightgbm", trees.predict(x))
for method in ("hist", "exact"):
    model = xgboost.XGBRegressor(n_estimators=20, tree_method=method, random_state=1).fit(x, y)
    show(f"xgboost, {method}", np.round(model.predict(x), 4))
