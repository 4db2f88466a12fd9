"""The package for Python with NumPy alone: a matrix is read, raced, converted, multiplied and profiled."""
import numpy as np
import sparsmith

random = np.random.default_rng(1)
dense = np.where(random.random((60, 40)) < 0.1, random.standard_normal((60, 40)), 0)
with open("a.mtx", "w", encoding="ascii") as file:
    file.write(f"%%MatrixMarket matrix coordinate real general\n60 40 {np.count_nonzero(dense)}\n")
    file.writelines(f"{i + 1} {j + 1} {float(dense[i, j])!r}\n" for i, j in np.argwhere(dense).tolist())

A = sparsmith.read("a.mtx")
said = sparsmith.recommend(A, budget=0.5)
print(f"sparsmith {sparsmith.__version__}: {said.format}, {said.kernel}")
x, y = random.standard_normal(40), random.standard_normal(60)
for M in (A, said.convert(A), sparsmith.convert(A, "gcsb", layout="tile")):
    np.testing.assert_allclose(M @ x, dense @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(M.T @ y, dense.T @ y, rtol=1e-12, atol=1e-12)
sparsmith.write(A, "a.h5")
np.testing.assert_array_equal(sparsmith.read("a.h5") @ x, A @ x)
assert len(sparsmith.profile(["a.mtx", "gen:laplace2d?n=30"], predict=True, device="cpu")) == 2
