"""What libraries borrow of upstream's gradients. Upstream: ``mindspore.ops._grad_experimental``."""
