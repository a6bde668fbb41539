"""Asks a desk that is starting for today's orders, and compares its count with the database's own."""

import subprocess
import sys
import time
from typing import Any

import httpx

WAIT_S = 90
QUESTION = "查一下今天的订单"


def wait_until_ready(client: httpx.Client) -> float:
    """Seconds until the desk said that it is ready."""
    began = time.monotonic()
    while time.monotonic() - began < WAIT_S:
        try:
            if client.get("/readyz").is_success:
                return time.monotonic() - began
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    sys.exit(f"not ready within {WAIT_S} s")


def counted(period: dict[str, str]) -> int:
    sql = (
        "SELECT count(*) FROM demo.orders WHERE tenant_id = 'acme' AND "
        f"(created_at AT TIME ZONE 'Asia/Shanghai')::date BETWEEN '{period['start']}' AND '{period['end']}';"
    )
    shown = subprocess.run(["make", "-s", "psql"], input=sql, capture_output=True, text=True, check=True).stdout
    return int(shown.splitlines()[2])


def main(base: str) -> None:
    with httpx.Client(base_url=base, timeout=40, trust_env=False) as client:
        print(f"ready after {wait_until_ready(client):.1f} s")
        answer = client.post("/invoke", json={"message": QUESTION}).raise_for_status()
    turn: dict[str, Any] = answer.json()
    period, total = turn["entities"]["period"], turn["cards"][0]["data"]["total"]
    print(f"{QUESTION} -> {turn['reply'].splitlines()[0]} ({turn['elapsed_ms']} ms)")
    found = counted(period)
    expected = ("completed", "business", ["order"], 0, found)
    got = (turn["status"], turn["agent"], turn["intents"], turn["usage"]["model_calls"], total)
    if got != expected or period["start"] != period["end"]:
        sys.exit(f"expected {expected} over one day, got {got} over {period}")
    print(f"the database counts {found} as well")


if __name__ == "__main__":
    main(sys.argv[1])
