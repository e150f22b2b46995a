import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPENSSL_MISSING, TestAuthority } from "../../../tests/support/timestamp/authority.ts";
import { replying, TestAuthorityServer } from "../../../tests/support/timestamp/authority-server.ts";
import { seededBytes } from "../../kernel/seeded.ts";
import { fetchSecurely, referenceTime } from "./reference-time.ts";

const TIME_URL = "https://time.example/";
const random = seededBytes("reference time");

function dated(date: string | undefined, status = 200) {
  return async () => new Response(null, { status, headers: date === undefined ? {} : { date } });
}

function ask(fetch: typeof dated extends (...args: never[]) => infer F ? F : never) {
  return referenceTime({ config: { timestampAuthority: undefined, timeUrl: TIME_URL }, random, fetch });
}

describe("TIME_URL", () => {
  test("its Date header counts, whatever the status", async () => {
    const expected = { at: Date.parse("2026-11-23T09:00:00Z"), from: "time.example" };
    expect(await ask(dated("Mon, 23 Nov 2026 09:00:00 GMT"))).toEqual(expected);
    expect(await ask(dated("Mon, 23 Nov 2026 09:00:00 GMT", 405))).toEqual(expected);
  });

  test.each([
    undefined,
    "",
    "2026-11-23",
    "Mon, 23 Nov 2026 09:00:00 +0100",
    "Mon, 99 Foo 2026 09:00:00 GMT",
    "x".repeat(9999),
  ])("a header in another form says nothing: %s", async (date) => {
    expect(await ask(dated(date))).toBeUndefined();
  });

  test("a failure says nothing", async () => {
    const failing = () => Promise.reject(new TypeError("fetch failed"));
    expect(await ask(failing)).toBeUndefined();
  });

  test("the guard refuses addresses without TLS and of this machine", async () => {
    for (const timeUrl of ["http://time.example/", "https://127.0.0.1:1/"])
      expect(
        await referenceTime({
          config: { timestampAuthority: undefined, timeUrl },
          random,
          fetch: fetchSecurely,
        }),
      ).toBeUndefined();
  });

  test("nothing configured, nothing asked", async () => {
    const fetch = () => Promise.reject(new Error("asked"));
    const config = { timestampAuthority: undefined, timeUrl: undefined };
    expect(await referenceTime({ config, random, fetch })).toBeUndefined();
  });
});

describe.skipIf(OPENSSL_MISSING)("a timestamp authority", () => {
  let authority: TestAuthority;
  let server: TestAuthorityServer;

  beforeAll(async () => {
    authority = new TestAuthority();
    server = await TestAuthorityServer.start(replying((query) => authority.reply(query)));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
  });

  function config(caFile = authority.caFile) {
    return { timestampAuthority: { url: server.url, caFile }, timeUrl: TIME_URL };
  }
  const fetch = dated("Mon, 23 Nov 2020 09:00:00 GMT");

  test("is asked first, and its signed time counts", async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const answer = await referenceTime({ config: config(), random, fetch });
    expect(answer?.from).toBe(new URL(server.url).host);
    expect(answer?.at).toBeGreaterThanOrEqual(before);
    expect(server.queries).toHaveLength(1);
  });

  test("that is down, or answers for another query, gives way to TIME_URL", async () => {
    const old = authority.reply(server.queries[0] ?? Buffer.alloc(0));
    for (const answer of [replying(() => old), replying(() => Buffer.from("no timestamp"))]) {
      server.answer = answer;
      expect(await referenceTime({ config: config(), random, fetch })).toMatchObject({
        from: "time.example",
      });
    }
    expect(await referenceTime({ config: config("/no/such/file"), random, fetch })).toMatchObject({
      from: "time.example",
    });
  });
});
