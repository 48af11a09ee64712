"""Settings for generated examples: they are the same in every run, without a time limit and without a database on
disk.
"""

from hypothesis import settings

settings.register_profile("format", deadline=None, derandomize=True, database=None)
settings.load_profile("format")
