/** Requests made to be slow: the time of each grows with its size at most in proportion, and bounded bodies have bounded work. */

import { expect, test } from "vitest";
import { expectProportional, filled } from "../../tests/support/growth.ts";
import { ServedSite } from "../../tests/support/servers/served-site.ts";
import { MAX_QUERY_TEXT } from "../contract/limits.ts";

const served = new ServedSite();

async function ask(path: string, options: RequestInit = {}): Promise<{ status: number; text: string }> {
  const answer = await served.call(path, options);
  return { status: answer.status, text: await answer.text() };
}

const post = (path: string, type: string, body: string) =>
  ask(path, { method: "POST", headers: { "Content-Type": type }, body });
const postJson = (path: string, body: string) => post(path, "application/json", body);
const postForm = (path: string, body: string) => post(path, "application/x-www-form-urlencoded", body);

const joined = (piece: (index: number) => string, length: number, by = ",") => {
  const pieces = [];
  for (let index = 0, size = 0; size < length; index += 1) {
    pieces.push(piece(index));
    size += piece(index).length + by.length;
  }
  return pieces.join(by).slice(0, length);
};
const FORM_BYTES = 32 * 1024;
const JSON_BYTES = FORM_BYTES - 100;

test.each(["/alerts/", "/report/", "/report/status/", "/opt-out/", "/alerts/unsubscribe/?token=x"])(
  "a form to %s with thousands of fields is refused in one pass",
  async (path) => {
    const { status, text } = await postForm(
      path,
      joined((index) => index.toString(36), FORM_BYTES, "&"),
    );
    expect([status, text]).toEqual([
      400,
      expect.stringMatching(/^A form must have at most 50 fields \(got \d{4}\)/),
    ]);
  },
);

test.each([
  ["other names", (length: number) => joined((index) => index.toString(36), length, "&")],
  ["one name", (length: number) => joined(() => "a=1", length, "&")],
  ["nothing", filled("&")],
  ["encoded", filled("%41=%41&")],
  ["a long value", (length: number) => `email=${filled("a@")(length - 6)}`],
  ["a long text", (length: number) => `kind=other&text=${filled("a+")(length - 16)}`],
])("a form of %s", async (_, body) => {
  await expectProportional(body, FORM_BYTES, (text) => postForm("/alerts/", text));
  await expectProportional(body, FORM_BYTES, (text) => postForm("/report/", text));
});

test("a form of many parts", async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n';
  await expectProportional(
    (length) => `${filled(part)(length - 9)}\r\n--b--\r\n`,
    FORM_BYTES,
    (text) => post("/alerts/", "multipart/form-data; boundary=b", text),
  );
});

const bodies: readonly [string, (length: number) => string][] = [
  ["nested lists", (length) => "[".repeat(length / 2) + "]".repeat(length / 2)],
  ["nested objects", (length) => `${'{"a":'.repeat(length / 6)}1${"}".repeat(length / 6)}`],
  ["unknown members", (length) => `{${joined((index) => `"${index}":1`, length - 10)}}`],
  ["toString", (length) => `[${filled('{"toString":1},')(length - 15)}1]`],
  ["a long address", (length) => JSON.stringify({ email: filled("a.")(length), city: "toronto" })],
  ["a long domain", (length) => JSON.stringify({ email: `a@${filled("ü.")(length / 2)}`, city: "toronto" })],
  [
    "many types",
    (length) => `{"email":"a@b.example","city":"toronto","event_types":[${filled("0,")(length - 70)}0]}`,
  ],
  [
    "a long webhook",
    (length) => JSON.stringify({ webhook_url: `https://${filled("@")(length)}`, channel: "webhook" }),
  ],
  ["a long text", (length) => JSON.stringify({ kind: "other", text: filled("a ")(length) })],
];

test.each(bodies)("JSON of %s", async (_, body) => {
  for (const path of ["/api/v1/alerts/subscribe", "/api/v1/reports", "/api/v1/removals"])
    await expectProportional(body, JSON_BYTES, (text) => postJson(path, text));
});

test.each([
  ...bodies,
  [
    "arguments",
    (length) => call("compare_presence", `{"city":"toronto","business_names":[${filled("0,")(length)}0]}`),
  ],
  [
    "names",
    (length) =>
      call("compare_presence", `{"city":"toronto","business_names":[${filled('"a",')(length)}"a"]}`),
  ],
  ["unknown arguments", (length) => call("get_pulse", `{${joined((index) => `"${index}":1`, length)}}`)],
  [
    "a long name",
    (length) =>
      call("check_physical_evidence", `{"city":"toronto","business_name":"${filled("a ")(length)}"}`),
  ],
  ["a long cursor", (length) => call("city_index", `{"city":"toronto","cursor":"${filled(".~")(length)}"}`)],
  ["a batch", (length) => `[${filled('{"jsonrpc":"2.0","id":1},')(length)}1]`],
] satisfies typeof bodies)("MCP with %s", async (_, body) => {
  await expectProportional(body, 60_000, (text) => postJson("/mcp", text));
});

function call(name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
}

test.each([
  ["repeated", filled("name=a&")],
  ["unknown", (length: number) => joined((index) => `${index}`, length, "&")],
  ["encoded", filled("%41")],
  ["plus", filled("+")],
  ["website", (length: number) => `website=a.example${filled("/")(length - 18)}x`],
  ["near", (length: number) => `near=${filled("8")(length - 5)}`],
  ["cursor", (length: number) => `cursor=${filled("~")(length - 7)}`],
  ["a name of marks", () => `name=${encodeURIComponent(filled("a\u0301\u0301")(MAX_QUERY_TEXT))}`],
])("a query of %s", async (_, query) => {
  await expectProportional(query, 7800, (text) => ask(`/api/v1/search?${text}`));
});

test("a path of segments, dots or percent signs", async () => {
  for (const unit of ["a/", "./", "%2e", "%41", "//"])
    await expectProportional(filled(unit), 7800, (path) => ask(`/${path}`));
});

test.each([
  ["Accept-Encoding", "br;q=0.1,"],
  ["Accept-Encoding", ","],
  ["Accept", "application/jso,"],
  ["If-None-Match", 'W/"a",'],
  ["If-Match", '"a",'],
  ["Range", "bytes=0-1,"],
  ["If-Range", '"'],
  ["Authorization", "Bearer "],
  ["Authorization", "ppes_live_"],
  ["Cookie", "a=1;"],
  ["User-Agent", "Mozilla/5.0 (compatible; "],
  ["User-Agent", "bot "],
  ["X-Forwarded-For", "::1,"],
  ["X-Forwarded-For", "1.1.1."],
  ["Origin", "https://a."],
  ["Content-Type", "application/json;"],
])("a header %s of %s", async (name, unit) => {
  for (const path of ["/api/v1/search?name=a", "/api/v1/cities"])
    await expectProportional(filled(unit), 12_000, (value) => ask(path, { headers: { [name]: value } }));
});
