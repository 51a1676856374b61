import gc

from hypothesis import settings

collect_ignore = ["data/ready.py"]  # fits as it is imported, which is for the processes that begin with it

settings.register_profile("novikoff", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("novikoff")


def pytest_collection_finish():
    """What is imported stays to the end: not to look through it for garbage saves a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
