import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPENSSL_MISSING, TestAuthority } from "../../tests/support/timestamp/authority.ts";
import { replying, TestAuthorityServer } from "../../tests/support/timestamp/authority-server.ts";
import { seededBytes } from "../kernel/seeded.ts";
import { DAY_MS, HOUR_MS } from "../kernel/time.ts";
import { assertClockNotAhead, fetchSecurely, referenceTime } from "./clock.ts";

describe("forward clock", () => {
  const NOW = Date.parse("2036-11-23T09:00:00Z");

  interface Facts {
    readonly reference?: number;
    readonly known?: number;
    readonly accepted?: string;
  }

  async function refusal({ reference, known, accepted }: Facts): Promise<string> {
    try {
      await assertClockNotAhead({
        now: NOW,
        reference: reference === undefined ? undefined : { at: reference, from: "tsa.example" },
        newest: async () =>
          known === undefined ? undefined : { at: known, what: "the last row of the ledger" },
        accepted,
      });
      return "";
    } catch (error) {
      return String(error);
    }
  }

  test("a clock more than an hour ahead of the reference is refused, and says what to type in", async () => {
    expect(await refusal({ reference: NOW - HOUR_MS })).toBe("");
    const text = await refusal({ reference: NOW - HOUR_MS - 1 });
    expect(text).toContain(
      "the clock says 2036-11-23T09:00:00Z, which is more than an hour ahead of tsa.example (2036-",
    );
    expect(text).toContain("Nothing was written");
    expect(text).toContain("--accept-clock 2036-11-23");
  });

  test("with a reference, nothing else counts: a service that stood for a month goes on", async () => {
    expect(await refusal({ reference: NOW, known: NOW - 30 * DAY_MS })).toBe("");
    expect(await refusal({ reference: NOW - DAY_MS, known: NOW })).toContain("more than an hour ahead");
  });

  test("without one, a clock more than 7 days after the newest known time is refused", async () => {
    expect(await refusal({ known: NOW - 7 * DAY_MS })).toBe("");
    expect(await refusal({ known: NOW - 7 * DAY_MS - 1 })).toContain(
      "more than 7 days after the last row of the ledger",
    );
  });

  test("a clock behind is the writer's business; a ledger without rows accepts any clock", async () => {
    expect(await refusal({ reference: NOW + 30 * DAY_MS })).toBe("");
    expect(await refusal({ known: NOW + 30 * DAY_MS })).toBe("");
    expect(await refusal({})).toBe("");
  });

  test("the clock's own date is accepted, no other and no other form", async () => {
    expect(await refusal({ known: 0, accepted: "2036-11-23" })).toBe("");
    for (const accepted of ["2036-11-22", "2026-11-23", "", "yes", "2036-11-23T09:00:00Z"])
      expect(await refusal({ known: NOW, accepted })).toContain(
        "--accept-clock must be the date of the clock, 2036-11-23",
      );
  });
});

describe("reference time", () => {
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
});
