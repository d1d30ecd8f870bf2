"""What only the place of a build knows: the address of its repository, in HIGHWATER_REPOSITORY. The rest is in pyproject.toml."""

import os

from setuptools import setup

address = os.environ.get("HIGHWATER_REPOSITORY", "")
setup(project_urls={"Repository": address} if address else {})
