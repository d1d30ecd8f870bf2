"""What pyproject.toml cannot say: the packages, which are the folders at the top, and the address of the repository.

`highwater.model` is the folder `model`, and so on; `.packages` has them as links, for tools that read sources. The address is
known where a build is made: it is in HIGHWATER_REPOSITORY.
"""

import os

from setuptools import find_packages, setup

FOLDERS = ("model", "properties", "traces", "explorer")

address = os.environ.get("HIGHWATER_REPOSITORY", "")
inner = [f"{folder}.{name}" for folder in FOLDERS for name in find_packages(folder, exclude=["package"])]
setup(
    packages=["highwater", *(f"highwater.{name}" for name in (*FOLDERS, *inner))],
    package_dir={"highwater": "explorer/package", **{f"highwater.{folder}": folder for folder in FOLDERS}},
    project_urls={"Repository": address} if address else {},
)
