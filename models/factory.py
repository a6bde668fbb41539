"""Makes the model object that speaks with one endpoint."""

import httpx

from models.endpoints import Endpoint
from models.wire import WireModel

NO_KEY = "none"


def wire_model(
    endpoint: Endpoint, http: httpx.AsyncClient, *, timeout_s: float, max_tokens: int, temperature: float | None
) -> WireModel:
    """Never retries by itself and never speaks the Responses API, whatever the model is called.

    `temperature`: None sends none. The key goes in as a coroutine function: with a string the SDK opens a second
    client, one that blocks.
    """

    async def key() -> str:
        return endpoint.api_key.get_secret_value() if endpoint.api_key else NO_KEY

    return WireModel(
        model=endpoint.model,
        base_url=endpoint.base_url,
        api_key=key,
        http_async_client=http,
        openai_proxy="",
        timeout=timeout_s,
        max_retries=0,
        use_responses_api=False,
        stream_usage=endpoint.vendor.stream_usage,
        disable_streaming="tool_calling",
        stream_chunk_timeout=timeout_s,
        temperature=temperature,
        max_completion_tokens=max_tokens,
        extra_body=endpoint.extra_body or None,
        vendor=endpoint.vendor,
    )
