import { expect, test } from "vitest";
import { internalNetworks, type Places, requestRecord, type SeenRequest } from "./seen-request.ts";

const SEEN: SeenRequest = {
  at: 5,
  times: 1,
  method: "GET",
  url: "/api/v1/entity/demo_1",
  status: 200,
  latencyMs: 1.5,
  userAgent: "x",
  address: "2001:db8:1:2:3::4",
  clientId: null,
  timedOut: false,
  foundNothing: false,
  message: null,
};
const places: Places = (text) => {
  if (text === "toronto") return { kind: "covered", slug: "toronto" };
  return text.toLowerCase() === "waterloo" ? { kind: "outside", geonameId: 7 } : undefined;
};
const record = (changes: Partial<SeenRequest>) =>
  requestRecord({ ...SEEN, ...changes }, { isInternal: () => false, places });

test("clients are told apart by network and user agent, and a partner by its key", () => {
  expect(record({})).toMatchObject({ client: "2001:db8:1:2::/64 x", record: "demo_1", internal: false });
  expect(record({ address: "" }).client).toBeNull();
  expect(record({ userAgent: "y".repeat(9999) }).client).toHaveLength(18 + 512);
  expect(record({ clientId: "client_1", userAgent: "GPTBot" })).toMatchObject({
    clientClass: "authenticated_partner",
    agent: "GPTBot",
    clientId: "client_1",
  });
});

test.each([
  [{ status: 400 }, { schemaFailure: true }],
  [{ status: 400, url: "/city/%" }, { schemaFailure: false }],
  [
    { status: 400, method: "", url: "" },
    { schemaFailure: false, operation: "unreadable_request" },
  ],
  [{ status: 429 }, { rateLimited: true }],
  [{ status: 408 }, { timedOut: true }],
  [{ status: 504 }, { timedOut: true }],
  [{ status: 503, timedOut: true }, { timedOut: true }],
  [{ status: 503 }, { timedOut: false }],
  [{ url: "/healthz" }, { internal: true }],
])("%j counts as %j", (changes, expected) => {
  expect(record(changes)).toMatchObject(expected);
});

test("our own addresses are single ones and blocks of both families, also as IPv6 writes IPv4", () => {
  const isInternal = internalNetworks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
  for (const own of ["10.255.0.1", "192.0.2.7", "2001:db8:ffff::1", "::ffff:10.1.2.3"])
    expect(isInternal(own), own).toBe(true);
  for (const other of ["11.0.0.1", "192.0.2.8", "2001:db9::1", "unknown", ""])
    expect(isInternal(other), other).toBe(false);
});

const search = (city: string) => `/api/v1/search?name=John+Smith&city=${encodeURIComponent(city)}`;
const call = {
  method: "tools/call",
  tool: "check_physical_evidence",
  city: null,
  record: null,
  isRefused: false,
};
const covered = { kind: "covered", place: "toronto", foundNothing: false };
const outside = { kind: "outside", place: "7", foundNothing: true };

test.each([
  ["a city of the service", { url: search("toronto") }, covered],
  [
    "one in which nothing was found",
    { url: search("toronto"), foundNothing: true },
    { ...covered, foundNothing: true },
  ],
  ["the page", { url: "/search/?name=a&city=toronto" }, covered],
  ["an unchanged answer", { url: search("toronto"), status: 304 }, covered],
  ["a city outside it", { url: search("Waterloo"), foundNothing: true }, outside],
  ["a call of a tool", { message: { ...call, search: { city: "toronto", foundNothing: false } } }, covered],
  [
    "that of a crawler",
    { message: { ...call, search: { city: "Waterloo", foundNothing: true } }, userAgent: "GPTBot" },
    outside,
  ],
])("%s is counted as a search", (_, changes, expected) => {
  expect(record(changes).search).toEqual(expected);
});

test.each([
  ["any other text", { url: search("John Smith, 12 High Street") }],
  ["no city", { url: "/api/v1/search?name=a" }],
  ["a further page", { url: `${search("toronto")}&cursor=abc` }],
  ["what was refused", { url: search("toronto"), status: 429 }],
  ["what nobody waited for", { url: search("toronto"), status: null }],
  ["a crawler that follows links", { url: search("toronto"), userAgent: "GPTBot" }],
  ["what is no search", { url: "/api/v1/city/toronto/index" }],
  ["a call that looks nothing up", { message: { ...call, search: null } }],
])("%s is not", (_, changes) => {
  expect(record(changes).search).toBeNull();
});

test("of a request only a city of the service and a record that was answered are kept, and no other text", () => {
  const texts = [
    { url: search("John Smith") },
    { url: search("Waterloo") },
    { url: "/api/v1/explorer.csv?city=John+Smith" },
    { url: "/city/John%20Smith/", status: 404 },
    { url: "/record/John%20Smith/", status: 404 },
    { url: "/record/John%20Smith", status: 301 },
    { url: "/api/v1/entity/John%20Smith", status: 404 },
    { message: { ...call, search: { city: "John Smith", foundNothing: true } } },
  ];
  for (const changes of texts) {
    const kept = record(changes);
    expect(kept).toMatchObject({ city: null });
    expect(JSON.stringify({ ...kept, record: kept.record, client: null })).not.toMatch(/John|Waterloo/);
  }
  expect(record({ url: search("toronto") }).city).toBe("toronto");
});
