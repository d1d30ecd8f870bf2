"""How many words of the documents people write: `python tests/support/words.py` lists the pages, longest first.

Generated pages, generated parts of pages (between `<!-- name -->` and `<!-- end of name -->`) and code do not count; nor does
where a link leads to.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED = re.compile(r"\bdo not edit\b|^# What each rule of |^# Every rule of ", re.M)
PART = re.compile(r"<!-- (\w+)\b[^>]*-->.*?<!-- end of \1 -->", re.S)
CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*$|<!--.*?-->", re.M | re.S)


def documents() -> list[Path]:
    """The pages that a user may read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def by_hand(text: str) -> int:
    """The number of words of a page that a person has written."""
    if GENERATED.search(text[:1000]):
        return 0
    prose = re.sub(r"\]\([^)\s]*\)", "]", CODE.sub("", PART.sub("", text)))
    return sum(any(letter.isalnum() for letter in word) for word in prose.split())


if __name__ == "__main__":
    counts = {path.relative_to(ROOT).as_posix(): by_hand(path.read_text()) for path in documents()}
    for name, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        print(f"{count:7,} {name}")
    print(f"{sum(counts.values()):7,} in all")
