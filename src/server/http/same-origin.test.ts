import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { isSameOrigin } from "./same-origin.ts";

const HOSTS = new Set(["presence.example.org"]);

test.each([
  [{}, true], // no browser
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "none" }, true],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "https://presence.example.org" }, false],
  [{ origin: "https://presence.example.org" }, true],
  [{ origin: "https://presence.example.org.evil.example" }, false],
  [{ origin: "https://evil.example/presence.example.org" }, false],
  [{ origin: "null" }, false],
  [{ origin: "" }, false],
])("%j is %s", (headers, expected) => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  expect(isSameOrigin(request, HOSTS)).toBe(expected);
});
