/** What caches may do with the answers to requests with a key, and whose rate limits these name. */

import { beforeAll, describe, expect, test } from "vitest";
import { ServedSite } from "../../tests/support/servers/served-site.ts";

const served = new ServedSite({ config: { trustedProxies: 0 } });
let key = "";
let disabledKey = "";
let spentKey = "";

beforeAll(async () => {
  const { partners } = served.state;
  const keyOf = async (name: string, dailyQuota: number) => {
    const client = { name, contactEmail: null, portalAccess: true, dailyQuota, monthlyQuota: 1000 };
    const { publicId } = await partners.createClient(client);
    return { publicId, secret: (await partners.issueKey(publicId)).secret };
  };
  key = (await keyOf("Reader", 500)).secret;
  const disabled = await keyOf("Former", 500);
  disabledKey = disabled.secret;
  await partners.updateClient(disabled.publicId, { status: "disabled" });
  spentKey = (await keyOf("Spent", 1)).secret;
});

const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  served.call(path, { ...init, headers });

const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

const READS = [
  ["a read with arguments", "/api/v1/search?name=alpha", true],
  ["a read that needs the time", "/api/v1/status", false],
  ["a table", "/api/v1/explorer.csv?city=toronto", true],
  ["a page with arguments", "/city/toronto/?sort=name", true],
  ["a file", "/api/v1/cities", false],
  ["a page's file", "/city/toronto/", false],
] as const;

describe.each(READS)("%s", (_, path, isCounted) => {
  test("may be shared without a key, unless it counts somebody's requests", async () => {
    const answer = await ask(path);
    expect(answer.headers.get("cache-control")).toMatch(/^public, max-age=/);
    expect(answer.headers.has("ratelimit")).toBe(isCounted);
    if (isCounted) expect(answer.headers.get("vary")).toMatch(/\bAuthorization\b/);
  });

  test("is private with a key, whole, unchanged or in part, and names the limits of that key", async () => {
    const whole = await ask(path, bearer(key));
    expect(whole.status).toBe(200);
    const etag = whole.headers.get("etag") ?? "";
    const unchanged = await ask(path, { ...bearer(key), "If-None-Match": etag });
    expect(unchanged.status).toBe(304);
    const part = await ask(path, { ...bearer(key), Range: "bytes=0-3" });
    const head = await ask(path, bearer(key), { method: "HEAD" });
    for (const { headers } of [whole, unchanged, part, head]) {
      expect(headers.get("cache-control")).toMatch(/^private, max-age=/);
      expect(headers.get("cache-control")).not.toContain("public");
      const limits = headers.get("ratelimit-policy") ?? "";
      if (isCounted) expect(limits).toBe('"daily";q=500;w=86400, "monthly";q=1000;w=2592000');
      else expect(limits).toBe("");
    }
  });

  test("is private with credentials that are no key of ours", async () => {
    const { headers } = await ask(path, { Authorization: "Basic eDp5" });
    expect(headers.get("cache-control")).toMatch(/^private, /);
  });
});

test.each([
  [401, () => bearer("ppes_live_nothing")],
  [403, () => bearer(disabledKey)],
])("a %i is kept by nobody and names nobody's limits", async (status, headers) => {
  for (const path of ["/api/v1/search?name=alpha", "/city/toronto/?sort=name", "/api/v1/partner/portal"]) {
    const answer = await ask(path, headers());
    expect(answer.status).toBe(status);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.has("ratelimit")).toBe(false);
  }
});

test("a key whose quota is used up reads on within the limit of its address, and is told of both", async () => {
  await ask("/api/v1/search?name=alpha", bearer(spentKey));
  for (const path of ["/api/v1/search?name=alpha", "/city/toronto/?sort=name"]) {
    const { status, headers } = await ask(path, bearer(spentKey));
    expect([status, headers.get("retry-after")]).toEqual([200, null]);
    expect(headers.get("cache-control")).toMatch(/^private, /);
    expect(headers.get("ratelimit-policy")).toMatch(/^"daily";q=1;.*, "monthly";.*, "reads";q=300;w=60$/);
    expect(headers.get("ratelimit")).toMatch(
      /^"daily";r=0;t=\d+, "monthly";r=\d+;t=\d+, "reads";r=2\d\d;t=\d+$/,
    );
  }
  const portal = await ask("/api/v1/partner/portal", bearer(spentKey));
  expect([portal.status, portal.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(portal.headers.get("ratelimit-policy")).toBe('"reads";q=300;w=60');
});

test("answers of MCP and of the portal are kept by nobody, notifications too", async () => {
  const message = (body: object) => ({
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    headers: { "Content-Type": "application/json", ...bearer(key) },
  });
  const bodies = [{ id: 1, method: "tools/list" }, { method: "notifications/initialized" }];
  const answers = [
    ...(await Promise.all(bodies.map((body) => fetch(`${served.server.url}/mcp`, message(body))))),
    await ask("/api/v1/partner/portal", bearer(key)),
  ];
  for (const { headers } of answers) expect(headers.get("cache-control")).toBe("no-store");
  const policies = answers.map(({ headers }) => headers.get("ratelimit-policy"));
  expect(policies).toEqual([
    expect.stringMatching(/^"daily";q=500;/),
    expect.stringMatching(/^"daily";q=500;/),
    '"reads";q=300;w=60',
  ]);
});
