"""PyTorch's tensors: sparse ones become matrices, dense ones are multiplied, and gradients flow through products.

PyTorch is never imported from here first: who has a tensor has imported it.
"""

import functools
import sys

from . import gpu, parts


def is_tensor(given):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def csr_arrays(tensor):
    """Row offsets, column indices and values of a sparse tensor, as tensors, and what had to be done to have them."""
    torch = sys.modules["torch"]
    layout = str(tensor.layout).removeprefix("torch.")
    if layout not in ("sparse_csr", "sparse_csc", "sparse_coo", "sparse_bsr"):
        raise TypeError(f"expected a sparse tensor (sparse_csr, sparse_csc, sparse_coo or sparse_bsr), not a {layout} one")
    if tensor.dim() != 2 or tensor.dense_dim() != 0:
        raise TypeError(f"expected a matrix, not a tensor of the shape {tuple(tensor.shape)}")
    tensor = tensor.detach()  # gradients go to vectors, not to the entries of matrices
    if tensor.dtype == torch.bfloat16:  # which NumPy has not
        tensor = tensor.to(torch.float32)
    if tensor.dtype == torch.complex32:  # nor this
        raise TypeError("values of complex32: Sparsmith computes in float32, float64, complex64 and complex128")
    why = [] if layout == "sparse_csr" else [f"{layout.removeprefix('sparse_')} made csr"]
    if layout == "sparse_csc":
        tensor = tensor.to_sparse_csr()
    elif layout != "sparse_csr":
        entries = tensor if layout == "sparse_coo" else _entries(tensor)
        if not entries.is_coalesced():
            if layout == "sparse_coo":
                why.append("sorted and duplicates added up")
            if not (entries.is_floating_point() or entries.is_complex()):  # before they are added up
                entries = entries.to(torch.float64)
            entries = entries.coalesce()
        rows, columns = entries.indices()
        ends = torch.bincount(rows, minlength=tensor.shape[0]).cumsum(0)
        return torch.cat((ends.new_zeros(1), ends)), columns, entries.values().resolve_conj(), why
    return tensor.crow_indices(), tensor.col_indices(), tensor.values().resolve_conj(), why


def _entries(bsr):
    """All entries of the blocks, zeros among them, block by block."""
    torch = sys.modules["torch"]
    starts, block_cols, blocks = bsr.crow_indices(), bsr.col_indices(), bsr.values()
    count = functools.partial(torch.arange, device=bsr.device)
    block_rows = torch.repeat_interleave(count(len(starts) - 1), starts.diff())
    _, height, width = blocks.shape
    rows = (block_rows * height)[:, None, None] + count(height)[:, None]
    cols = (block_cols * width)[:, None, None] + count(width)
    places = torch.stack([part.expand(blocks.shape).reshape(-1) for part in (rows, cols)])
    return torch.sparse_coo_tensor(places, blocks.reshape(-1), bsr.shape)


# What a product is differentiated by: the same product or another, of the gradients in reverse order. With its transpose
# their conjugates are multiplied, and conjugated again: that is its adjoint, as PyTorch's gradients are.
ADJOINT = {"multiply": "multiply_adjoint", "multiply_adjoint": "multiply"}
TRANSPOSE = {"multiply_transposed": "multiply", "multiply_both": "multiply_both", "multiply_normal": "multiply_normal"}


def product(matrix, name, vectors, out, alpha, beta):
    """The product of this name with tensors. It can be differentiated with respect to them, as often as one likes."""
    torch = sys.modules["torch"]
    for one in vectors:
        if not is_tensor(one):
            raise TypeError(f"expected tensors throughout, not {type(one).__name__}")
    if out is not None:
        outs = out if isinstance(out, (tuple, list)) else (out,)
        for one in outs:
            if not is_tensor(one):
                raise TypeError(f"out: expected a tensor where x is one, not {type(one).__name__}")
        if torch.is_grad_enabled() and any(one.requires_grad for one in (*vectors, *outs)):
            raise TypeError("out: a product that is to be differentiated makes its own result")
    if matrix.dtype.kind != "c" and any(one.is_complex() for one in vectors):
        return parts.product(matrix, name, vectors, out, alpha, beta)
    if out is not None:
        _computed(matrix, name, vectors, outs, alpha, beta)
        return out
    if beta != 0:
        matrix._result(None, (), beta)  # which says what is missing
    kept = _type_of(matrix)
    return _function().apply(matrix, name, alpha, *[one if one.dtype is kept else one.to(kept) for one in vectors])


def _type_of(matrix):
    return getattr(sys.modules["torch"], matrix.dtype.name)


@functools.cache
def _function():
    torch = sys.modules["torch"]

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, matrix, name, alpha, *vectors):
            ctx.matrix, ctx.name, ctx.alpha = matrix, name, alpha
            return _computed(matrix, name, vectors, None, alpha, 0.0)

        @staticmethod
        def backward(ctx, *gradients):
            alpha, gradients = ctx.alpha, gradients[::-1]
            turned = ctx.name in TRANSPOSE and ctx.matrix.dtype.kind == "c"
            if turned:
                gradients = [one.conj() for one in gradients]
            elif ctx.matrix.dtype.kind == "c":
                alpha = complex(alpha).conjugate()
            made = Product.apply(ctx.matrix, TRANSPOSE.get(ctx.name) or ADJOINT[ctx.name], alpha, *gradients)
            made = made[::-1] if isinstance(made, tuple) else (made,)
            return None, None, None, *([one.conj() for one in made] if turned else made)

    return Product


def _computed(matrix, name, vectors, outs, alpha, beta):
    """What NumPy's arrays would give, as tensors; on a GPU without a way through the host."""
    torch = sys.modules["torch"]
    for x in vectors:
        if x.layout != torch.strided:
            raise TypeError("expected a vector or an array of vectors, not a sparse tensor: products of two are not here")
    for one in outs or ():
        # Of others there would be a copy, which gets the result.
        if one.dtype is not _type_of(matrix) or one.is_neg() or one.is_conj():
            raise TypeError(f"out: expected a tensor of {matrix.dtype}, not of {str(one.dtype).removeprefix('torch.')}")
    if any([x.is_cuda for x in vectors]):
        out = None if outs is None else outs[0] if len(outs) == 1 else outs
        return gpu.product(matrix, name, vectors, out, alpha, beta, gpu.of_torch(vectors[0].device))
    out = None if outs is None else [array_of(one) for one in outs]
    made = getattr(matrix, name)(*(array_of(x.detach()) for x in vectors), out if out is None or len(out) > 1 else out[0], alpha, beta)
    return tuple(map(torch.from_numpy, made)) if isinstance(made, (tuple, list)) else torch.from_numpy(made)


def array_of(tensor):
    """The same numbers as NumPy sees them."""
    if tensor.device.type != "cpu":
        raise TypeError(f"Tensor: expected one on the CPU or on a GPU, and all of them on the same, not on {tensor.device.type}")
    tensor = tensor.resolve_neg().resolve_conj()
    if tensor.dtype == sys.modules["torch"].bfloat16:  # which NumPy has not
        tensor = tensor.float()
    return tensor.numpy()
