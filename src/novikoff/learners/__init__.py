"""The algorithms, one a file, over the shared kernels."""
