"""The documents stay short: how many words people have written, and that no page of them is too long for a sitting."""

from support.words import by_hand, documents

ALL, PAGE = 30_000, 5_200
"""Words by hand in all documents, and in one page. Lower them when a page becomes shorter."""

PARTS = """# A page

Three words here, [a link](somewhere/else.md#with-words).

    code is not counted

```console
$ nor this
```

<!-- table: written by tests -->

| nor | this |

<!-- end of table -->
"""


def test_the_documents_are_short():
    counts = {str(path): by_hand(path.read_text()) for path in documents()}
    assert sum(counts.values()) < ALL, "shorten: `python tests/support/words.py` lists the longest pages"
    assert [name for name, count in counts.items() if count > PAGE] == []


def test_what_is_generated_and_code_does_not_count():
    assert by_hand(PARTS) == 2 + 3 + 2
    assert by_hand("# The claims\n\nWritten by `pytest`; do not edit.\n") == 0
