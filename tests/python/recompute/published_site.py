"""The published files of a release, from a folder or an address, and the text of its pages."""

import html
import json
import re
import urllib.request
from pathlib import Path


class Site:
    def __init__(self, place):
        self._folder = None if re.match(r"https?://", place) else Path(place)
        self._base = place.rstrip("/")
        self.listed = self.json("manifest.json")["files"]

    def text(self, path):
        if self._folder is not None:
            return (self._folder / path).read_text("utf-8")
        with urllib.request.urlopen(f"{self._base}/{path}", timeout=30) as answer:
            return answer.read().decode("utf-8")

    def json(self, path):
        return json.loads(self.text(path))

    def lines(self, prefix):
        for path in sorted(p for p in self.listed if p.startswith(prefix)):
            yield from self.text(path).splitlines()


def page_text(document):
    """What a reader sees of a page: without tags, styles and drawings, white space folded."""
    document = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", document, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", document)))


class McpClient:
    """The six tools of a running server, by plain JSON-RPC. Behind a trusted proxy each call may speak for a client of its own."""

    def __init__(self, url, is_proxy=False):
        self._url, self._is_proxy, self._calls = url, is_proxy, 0

    def call(self, tool, **arguments):
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self._calls += 1
        if self._is_proxy:
            headers["X-Forwarded-For"] = f"10.0.{self._calls // 250}.{self._calls % 250 + 1}"
        with urllib.request.urlopen(urllib.request.Request(self._url, body, headers), timeout=30) as answer:
            return json.loads(answer.read())["result"]["structuredContent"]
