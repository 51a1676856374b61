from hypothesis import settings

collect_ignore = ["data/ready.py"]  # fits as it is imported, which is for the processes that begin with it

settings.register_profile("novikoff", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("novikoff")
