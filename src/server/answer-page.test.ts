import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testPages } from "../../tests/support/pages/compiled.ts";
import { TestSite } from "../../tests/support/release/site.ts";
import { READS_PER_MINUTE } from "../contract/limits.ts";

const LATER = "2026-05-21T12:00:00Z";
const IDENTITY = { "accept-encoding": "identity" };

/** A release that is served, and what stands in the answer to an address. */
async function served(pages = testPages) {
  const site = new TestSite();
  const directory = site.publish();
  const logged: unknown[] = [];
  const log = { info: () => undefined, error: (event: unknown) => logged.push(event) };
  const server = await site.serve({}, { log, pages });
  return {
    site,
    directory,
    logged,
    get: (path: string, headers: Record<string, string> = IDENTITY) => fetch(server.url + path, { headers }),
    page: async (path: string) => (await fetch(server.url + path, { headers: IDENTITY })).text(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      site[Symbol.dispose]();
    },
  };
}

const partIn = (text: string) => /<div data-view[\s\S]*?<script type="module"/.exec(text)?.[0] ?? "";
const namesIn = (text: string) =>
  [...partIn(text).matchAll(/<bdi translate="no">([^<]*)<\/bdi><\/a>/g)].map(([, name]) => name);

let service: Awaited<ReturnType<typeof served>>; // which most tests only read

beforeAll(async () => {
  service = await served();
  while (!(await service.get("/search/?name=a")).ok); // the thread that searches starts with the first search
});
afterAll(() => service[Symbol.asyncDispose]());

describe("a page with arguments", () => {
  test("is the page that would be the file, but for what was asked", async () => {
    const other = await service.page("/search/?name=a");
    const input = await service.page("/search/?name=brav");
    expect(namesIn(other)).toEqual(["Alpha", "Bravo", "Charlie"]);
    expect(namesIn(input)).toEqual(["Bravo"]);
    const around = (text: string) => text.replace(partIn(text), "");
    expect(around(input)).toBe(around(other));
    expect(input).toContain("<title>Search · Physical Presence Evidence</title>");
    expect(input).toContain("data-asked");
    expect(input).toContain('<link rel="stylesheet" href="/assets/every-page.00000000.css">');
  });

  test.each([
    ["/search/?name=alpha&city=toronto", ["Alpha"]],
    ["/city/toronto/?sort=name", ["Alpha", "Bravo", "Charlie"]],
    ["/city/toronto/?industry=A", []],
  ])("%s", async (path, names) => {
    expect(namesIn(await service.page(path))).toEqual(names);
  });

  test("the explorer has the rows of the CSV", async () => {
    const rows = (await service.page("/api/v1/explorer.csv?city=toronto")).trim().split("\n").length - 1;
    const text = await service.page("/explorer/?city=toronto");
    expect(text).toContain(`data-summary>${rows} row`);
    expect(text).toContain('href="/api/v1/explorer.csv?city=toronto"');
  });

  test("has the headers of a page, and those of a read", async () => {
    const { status, headers } = await service.get("/search/?name=a");
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "x-frame-options": "DENY",
      "cache-control": expect.stringContaining("max-age=300"),
      vary: "Accept-Encoding, Authorization",
      ratelimit: expect.stringMatching(/^"reads";r=\d+;t=\d+$/),
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    });
    expect(headers.has("access-control-allow-origin")).toBe(false);
  });

  test("is compressed for who takes it, with a tag of its own; the same once more is a 304", async () => {
    const plain = await service.get("/search/?name=a");
    const zipped = await service.get("/search/?name=a", { "accept-encoding": "br, gzip" });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    expect(await zipped.text()).toBe(await plain.text());
    const etag = zipped.headers.get("etag") ?? "";
    expect(etag).not.toBe(plain.headers.get("etag"));
    const again = await service.get("/search/?name=a", { "accept-encoding": "gzip", "if-none-match": etag });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    expect(again.headers.get("vary")).toBe("Accept-Encoding, Authorization");
  });

  test("asked for its head only, sends that", async () => {
    const url = (await service.get("/search/?name=a")).url;
    const head = await fetch(url, { method: "HEAD", headers: IDENTITY });
    expect([head.status, Number(head.headers.get("content-length")) > 500, await head.text()]).toEqual([
      200,
      true,
      "",
    ]);
  });

  test.each(["/search/?utm_source=x", "/city/toronto/?fbclid=1&limit=3", "/?name=a", "/search/?"])(
    "%s asks nothing of the page: its file is sent",
    async (path) => {
      const answer = await service.get(path);
      expect(answer.headers.get("accept-ranges")).toBe("bytes");
      expect(answer.headers.has("ratelimit")).toBe(false);
    },
  );
});

describe("what is wrong is said in the page", () => {
  test.each([
    ["/search/?industry=zzz", 400, "Industry must be an ISIC Rev. 5 code"],
    ["/search/?name=a&name=b", 400, "only once"],
    ["/explorer/?limit=501", 400, "between 1 and 500"],
    ["/city/toronto/?cursor=abc", 400, "Start again from the first page"],
    ["/city/toronto/?industry=zzz&utm_source=x", 400, "Start again without filters"],
  ])("%s: %i", async (path, status, text) => {
    const answer = await service.get(path);
    const page = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).toMatch(/^<!DOCTYPE html>[\s\S]*<title>[\s\S]*role="alert"[\s\S]*<\/html>/);
    expect(page).toContain(text);
    expect(service.logged).not.toContain("request_failed");
  });

  test("the page of a city that is not there is a 404 like any other", async () => {
    const answer = await service.get("/city/nowhere/?industry=I");
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("Not found")]);
  });

  test("malformed encoding is a text like another", async () => {
    const answer = await service.get("/search/?name=%zz");
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("No record with")]);
  });

  test("beyond the allowance: a page with a way on, and when to come back; files go on", async () => {
    await using own = await served();
    for (let read = 0; read < READS_PER_MINUTE; read += 1) await own.get("/api/v1/status?x=1");
    const answer = await own.get("/search/?name=a");
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await answer.text()).toMatch(
      /Too many requests[\s\S]*<a href="\/search\/\?name=a">Try again<\/a>/,
    );
    expect((await own.get("/search/")).status).toBe(200);
  });

  test("a page that fails is a fault of the program: logged, and a text for the reader", async () => {
    await using own = await served({ render: () => Promise.reject(new Error("broken page")) });
    const answer = await own.get("/search/?name=a");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([500, "text/plain; charset=utf-8"]);
    expect(await answer.text()).toMatch(/^internal error/);
    expect(own.logged).toEqual(["request_failed"]);
  });
});

test("a cursor reads on in the release of its first page, in the page of the newest one, until that is gone", async () => {
  await using own = await served();
  const { next_cursor: cursor } = JSON.parse(await own.page("/api/v1/city/toronto/index?limit=2"));
  own.site.addRecord("Delta");
  const newer = own.site.publish(LATER);
  await expect.poll(() => own.page("/search/?name=delta"), { timeout: 20_000 }).toContain("1 record,");
  expect(await own.page(`/city/toronto/?cursor=${cursor}`)).toContain("3 to 3 of 3 records");
  own.site.removeAllBut(newer);
  const gone = await own.get(`/city/toronto/?cursor=${cursor}`);
  expect([gone.status, await gone.text()]).toEqual([
    410,
    expect.stringContaining("Start again from the first page"),
  ]);
});

test("a page is made once in a release; with a cursor, or refused, each time", async () => {
  let renders = 0;
  const render: typeof testPages.render = (...page) => {
    renders += 1;
    return testPages.render(...page);
  };
  await using own = await served({ render });
  const made = async (path: string) => {
    const before = renders;
    const text = await own.page(path);
    return { text, count: renders - before };
  };
  const path = "/city/toronto/?sort=name";
  const first = await made(path);
  expect([first.count, await made(`${path}&utm_source=x`)]).toEqual([1, { ...first, count: 0 }]);
  expect((await made("/city/toronto/?sort=observations")).count).toBe(1);
  for (const refused of ["?sort=zzz", "?sort=zzz", "?cursor=abc", "?cursor=abc"])
    expect((await made(`/city/toronto/${refused}`)).count).toBe(1);
  own.site.addRecord("Delta");
  own.site.publish(LATER);
  await expect.poll(() => own.page(path), { timeout: 20_000 }).toContain("Delta");
  expect((await made(path)).count).toBe(0);
});
