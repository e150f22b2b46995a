/** Citations of a release and of the one before it, as the server answers them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { Citation } from "../contract/citation/citation.ts";
import { EvidencePacket } from "../contract/records/evidence.ts";
import type { RunningServer } from "./main.ts";

const site = new TestSite();
let server: RunningServer;
let older: EvidencePacket["citations"];
let newest: EvidencePacket["citations"];

const get = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: "manual", ...init });
const quoteOfNow = async () =>
  EvidencePacket.parse(await (await get("/api/v1/entity/demo_alpha/evidence")).json()).citations;

beforeAll(async () => {
  site.town.at("2026-05-01T12:00:00Z");
  site.publish("2026-05-01T13:00:00Z");
  server = await site.serve();
  older = await quoteOfNow();
  await server.stop();
  site.town.at("2026-05-20T11:00:00Z");
  site.town.see(2, 4, "a third observer", "2026-05-19T10:00:00Z"); // of Alpha
  site.publish();
  server = await site.serve();
  newest = await quoteOfNow();
});
afterAll(async () => {
  await server.stop();
  site[Symbol.dispose]();
});

test("an older citation is computed: its page and its JSON have the words of then", async () => {
  expect(older.citation_id).not.toBe(newest.citation_id);
  const page = await get(`/cite/${older.citation_id}/`);
  const text = await page.text();
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(text).toContain("<title>Check a quote · Physical Presence Evidence</title>");
  expect(text).toContain(">Superseded</h2>");
  expect(text).toContain("2 times between 2026-04-28 and 2026-04-30 (local solar dates)");
  const json = await get(`/api/v1/citation/${older.citation_id}`);
  expect(Citation.parse(await json.json())).toMatchObject({
    status: "superseded",
    citation: { quote: older.suggested_citation },
    newest: { quote: newest.suggested_citation },
  });
});

test("the newest one is a file", async () => {
  const json = await get(`/api/v1/citation/${newest.citation_id}`);
  expect(json.headers.get("ratelimit")).toBeNull();
  expect(Citation.parse(await json.json())).toMatchObject({ status: "current" });
});

test("a page's address without its slash leads to it", async () => {
  const answer = await get(`/cite/${older.citation_id}?x=1`);
  expect([answer.status, answer.headers.get("location")]).toEqual([308, `/cite/${older.citation_id}/?x=1`]);
});

test("a forged id is a 404 that says what it is not, and echoes nothing", async () => {
  const forged = older.citation_id.replace(/\w{8}$/, "00000000");
  const page = await get(`/cite/${forged}/`);
  const text = await page.text();
  expect(page.status).toBe(404);
  expect(text).toContain("This address leads to no citation of this service");
  expect(text).not.toContain("Alpha");
  const json = await get(`/api/v1/citation/${forged}`);
  expect([json.status, await json.json()]).toEqual([404, { error: "not found", code: "not_found" }]);
});

test.each(["/cite/x/", "/cite/%3Cscript%3E/", "/cite/a.1.1.2026-05-01.v2/", `/cite/${"a".repeat(3000)}/`])(
  "%s is no page",
  async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain("<script>");
  },
);

test("a pasted quote is answered in the page, without a script", async () => {
  const query = new URLSearchParams({ quote: older.suggested_citation });
  const text = await (await get(`/cite/?${query}`)).text();
  expect(text).toContain("The pasted words are what we published.");
  const long = await get(`/cite/?quote=${"x".repeat(2001)}`);
  expect(long.status).toBe(400);
});

test("nothing but reading is allowed", async () => {
  expect((await get(`/cite/${older.citation_id}/`, { method: "POST" })).status).toBe(405);
  expect((await get(`/cite/${older.citation_id}/`, { method: "HEAD" })).status).toBe(200);
});
