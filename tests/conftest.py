from hypothesis import settings

settings.register_profile("novikoff", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("novikoff")
