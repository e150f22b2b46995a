import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LoggedRequest, parseLogLine } from "./parse-line.ts";

const JSON_LINE = `{"time":"1795000000.123","address":"203.0.113.7","method":"GET","uri":"/api/v1/cities","status":"200","seconds":"0.004","user_agent":"curl/8","upstream":"-"}`;
const COMBINED =
  '203.0.113.7 - - [10/Oct/2026:13:55:36 +0200] "GET /city/toronto/ HTTP/1.1" 200 2326 "https://x.example/" "Mozilla/5.0 (X11)"';

describe("the documented JSON form", () => {
  test("is read", () => {
    expect(parseLogLine(JSON_LINE)).toEqual({
      at: 1795000000123,
      address: "203.0.113.7",
      method: "GET",
      url: "/api/v1/cities",
      status: 200,
      latencyMs: 4,
      userAgent: "curl/8",
      wentOn: false,
    });
  });

  test.each([
    ['"upstream":"127.0.0.1:4321"', { wentOn: true }],
    ['"upstream":""', { wentOn: false }],
    ['"status":"499"', { status: null }],
    ['"seconds":"-"', { latencyMs: null }],
    ['"user_agent":"-"', { userAgent: "" }],
    ['"method":"\\u0016\\u0003"', { method: "", url: "" }],
    ['"uri":"http://other/"', { method: "", url: "" }],
  ])("%s", (member, expected) => {
    const name = /^"\w+":/.exec(member)?.[0] ?? "";
    expect(parseLogLine(JSON_LINE.replace(new RegExp(`${name}"[^"]*"`), member))).toMatchObject(expected);
  });

  test.each([
    ["{", "unknown_format"],
    ["{}", "wrong_fields"],
    [JSON_LINE.replace("203.0.113.7", "unix:"), "wrong_fields"],
    [JSON_LINE.replace('"200"', '"2"'), "wrong_fields"],
    [JSON_LINE.replace("1795000000.123", "yesterday"), "wrong_fields"],
    [JSON_LINE.replace("1795000000.123", "1e99"), "wrong_fields"],
  ])("%s is refused", (line, fault) => {
    expect(parseLogLine(line)).toBe(fault);
  });

  test("comes back as it was written, whatever clients send", () => {
    const request = fc.record<LoggedRequest>({
      at: fc.nat({ max: 4_000_000_000_000 }),
      address: fc.oneof(fc.ipV4(), fc.ipV6()),
      method: fc.constantFrom("GET", "HEAD", "POST", "PROPFIND"),
      url: fc.string().map((text) => `/${text}`),
      status: fc.integer({ min: 100, max: 498 }),
      latencyMs: fc.nat({ max: 1e9 }),
      userAgent: fc.string().filter((text) => text !== "-"),
      wentOn: fc.boolean(),
    });
    fc.assert(
      fc.property(request, (logged) => {
        const line = JSON.stringify({
          time: (logged.at / 1000).toFixed(3),
          address: logged.address,
          method: logged.method,
          uri: logged.url,
          status: String(logged.status),
          seconds: ((logged.latencyMs ?? 0) / 1000).toFixed(3),
          user_agent: logged.userAgent,
          upstream: logged.wentOn ? "127.0.0.1:1" : "-",
        });
        expect(parseLogLine(line)).toEqual(logged);
      }),
    );
  });
});

describe("the combined form", () => {
  test("is read, without what it does not tell", () => {
    expect(parseLogLine(COMBINED)).toEqual({
      at: Date.parse("2026-10-10T11:55:36Z"),
      address: "203.0.113.7",
      method: "GET",
      url: "/city/toronto/",
      status: 200,
      latencyMs: null,
      userAgent: "Mozilla/5.0 (X11)",
      wentOn: null,
    });
  });

  test.each([
    ['"GET /a HTTP/1.1" 200 - "-" "-"', { url: "/a", userAgent: "" }],
    ['"GET /\\x22 HTTP/2.0" 404 0 "-" "a \\"b\\" c"', { url: "/\\x22", status: 404 }],
    ['"-" 408 0 "-" "-"', { method: "", url: "", status: 408 }],
    ['"\\x16\\x03\\x01" 400 157 "-" "-"', { method: "", url: "" }],
  ])("%s", (rest, expected) => {
    expect(parseLogLine(`2001:db8::1 - alice [10/Oct/2026:13:55:36 +0000] ${rest}`)).toMatchObject(expected);
  });

  test.each([
    [COMBINED.replace("10/Oct", "32/Oct"), "invalid_date"],
    [COMBINED.replace("Oct", "Okt"), "invalid_date"],
    [COMBINED.replace(' "Mozilla/5.0 (X11)"', ""), "unknown_format"],
    [COMBINED.replace("203.0.113.7", "example.org"), "unknown_format"],
    ["", "unknown_format"],
    ["2026-10-10 GET /", "unknown_format"],
  ])("%s is refused", (line, fault) => {
    expect(parseLogLine(line)).toBe(fault);
  });
});

test("no line breaks it, or takes long", () => {
  const odd = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.tuple(fc.nat(COMBINED.length), fc.string()).map(([at, text]) => COMBINED.slice(0, at) + text),
    fc.tuple(fc.nat(JSON_LINE.length), fc.string()).map(([at, text]) => JSON_LINE.slice(0, at) + text),
  );
  fc.assert(
    fc.property(odd, (line) => void parseLogLine(line)),
    { numRuns: 500 },
  );
  const startedAt = performance.now();
  for (const piece of ['"', "\\", '\\"', "[", "] ", "1 ", '" "'])
    parseLogLine(`1.1.1.1 - - [10/Oct/2026:13:55:36 +0000] "${piece.repeat(20_000)}`);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
