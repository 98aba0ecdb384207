from __future__ import annotations

import json
import random
from decimal import Decimal

import pytest

from waybill import lossless
from waybill.json_spans import end_of_value, members


def test_what_is_read_is_written_again() -> None:
    for text in ('{"a":1,"a":[1.0,-0,1E+2,"\\u0000",null,true,false],"":{}}', "[" * 5000 + "]" * 5000, "0.10", '""'):
        assert lossless.dumps(lossless.loads(text)) == text
    assert lossless.dumps({"a": (Decimal("1.10"), 2.5, [])}) == '{"a":[1.10,2.5,[]]}'
    for wrong in (Decimal("NaN"), float("inf")):
        with pytest.raises(ValueError):
            lossless.dumps(wrong)


def test_it_takes_what_json_takes_and_nothing_else() -> None:
    chance = random.Random(4711)
    texts = ['{"a":1,"a":[1.0,-0,1e2,"x",null,true],"":{}}', '[1,2,{"a":[]}]', '{"a":{"b":"c,]"}}', " [ ] "]
    for _ in range(20_000):
        changed = list(chance.choice(texts))
        for _ in range(chance.randint(0, 2)):
            at = chance.randrange(len(changed) + 1)
            changed[at : at + chance.randint(0, 1)] = chance.choice(["", *'[]{},:"1 0-.ea\\\n'])
        text = "".join(changed)
        try:
            expected = json.loads(text)
        except ValueError:
            with pytest.raises(ValueError):
                lossless.loads(text)
        else:
            assert lossless.read(text, dict, lossless.plain_number) == expected, text


def test_values_are_found_without_being_built() -> None:
    deep = '{"a":"]}\\"",' + '"b":[' * 1 + "[" * 3000 + '"[{"' + "]" * 3000 + "]}"
    assert end_of_value(deep, 0) == len(deep)
    assert [(key, deep[start:end][:3]) for key, start, end in members(deep, 0)] == [("a", '"]}'), ("b", "[[[")]
