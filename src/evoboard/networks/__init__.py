"""Networks: packed populations and the kernels that evaluate them."""
