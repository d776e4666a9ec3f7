"""Runs the examples of README.md against the service."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SIGNING_SECRET, TOKEN, Site

EXAMPLES = re.findall(
    r"```python\n(.*?)```", (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8"), re.DOTALL
)


@pytest.mark.parametrize("example", EXAMPLES)
def test_runs_the_example(
    example: str, service: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = example.replace('secret="…"', f'secret="{SIGNING_SECRET}"').replace('token="…"', f'token="{TOKEN}"')
    text = given.replace("http://127.0.0.1:8080", service).replace("https://example.com/", site.url())

    exec(compile(text, "README.md", "exec"), {"__name__": "example"})


def test_finds_the_examples() -> None:
    assert len(EXAMPLES) == 3
