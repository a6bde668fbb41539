"""models.yaml: what stands in it, and that every mistake in it is named."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from config.models import ModelsConfig, load_models
from errors import ConfigurationError

OURS = Path(__file__).parents[2] / "config" / "models.yaml"


def changed(tmp_path: Path, *path: str, to: Any) -> Path:
    """A copy of models.yaml with one key changed."""
    given = yaml.safe_load(OURS.read_text(encoding="utf-8"))
    inner = given
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = to
    copy = tmp_path / "models.yaml"
    copy.write_text(yaml.safe_dump(given, allow_unicode=True), encoding="utf-8")
    return copy


def test_our_own_file_serves_every_purpose_inside_the_limit_of_a_turn() -> None:
    ours = load_models(OURS)
    assert set(ours.purposes) == {"classify", "plan", "reply", "summary"}
    assert sum(ours.purposes[p].timeout_s for p in ("classify", "plan", "reply")) < 30
    assert {"openai", "deepseek", "qwen", "zhipu", "moonshot", "vllm", "ollama", "llama_cpp", "generic"} == set(
        ours.vendors
    )


WRONG: list[tuple[tuple[str, ...], Any, str]] = [
    (("models", "default"), {"vendor": "acme"}, "models.default.vendor"),
    (("models", "default"), {"fallbacks": ["nobody"]}, "models.default.fallbacks"),
    (("models", "default"), {"api_key": "sk-1"}, "api_key"),
    (("models", "local"), {"base_url": "localhost:8000"}, "base_url"),
    (("purposes", "reply", "model"), "nobody", "purposes.reply.model"),
    (("purposes", "reply", "timeout_s"), 0, "timeout_s"),
    (("purposes", "sing"), {"timeout_s": 1, "max_tokens": 20}, "sing"),
    (("vendors", "qwen", "tools"), "maybe", "tools"),
    (("breaker", "failures"), 0, "failures"),
    (("purposes",), {}, "purposes.classify"),
    (("models",), {"other": {}}, "default"),
    (("vendors",), {}, "generic"),
]


@pytest.mark.parametrize(("path", "value", "named"), WRONG, ids=[w[2] for w in WRONG])
def test_a_mistake_is_named_with_its_file_and_key(
    tmp_path: Path, path: tuple[str, ...], value: Any, named: str
) -> None:
    with pytest.raises(ConfigurationError, match=named) as raised:
        load_models(changed(tmp_path, *path, to=value))
    assert "models.yaml" in str(raised.value)
    assert "sk-1" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "models: [", "models: {}\nmodels: {}\n"])
def test_a_file_that_is_no_models_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"models\.yaml"):
        load_models(path)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"models\.yaml"):
        load_models(tmp_path / "models.yaml")


def test_a_vendor_is_found_by_host_with_or_without_its_port() -> None:
    ours: ModelsConfig = load_models(OURS)
    entry = ours.models["default"]
    assert ours.vendor_of(entry, "https://api.openai.com:443/v1") == ours.vendors["openai"]
    assert ours.vendor_of(entry, "https://key@api.moonshot.cn/v1") == ours.vendors["moonshot"]
    assert ours.vendor_of(entry, "http://localhost:11434/v1") == ours.vendors["ollama"]
    assert ours.vendor_of(entry, "http://localhost:8080/v1") == ours.vendors["generic"]
    assert ours.vendor_of(entry, "https://api.openai.com.example.org/v1") == ours.vendors["generic"]
