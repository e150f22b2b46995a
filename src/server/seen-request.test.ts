import { expect, test } from "vitest";
import { internalNetworks, requestRecord, type SeenRequest } from "./seen-request.ts";

const SEEN: SeenRequest = {
  at: 5,
  method: "GET",
  url: "/api/v1/entity/demo_1",
  status: 200,
  latencyMs: 1.5,
  userAgent: "x",
  address: "2001:db8:1:2:3::4",
  clientId: null,
  timedOut: false,
  message: null,
};
const record = (changes: Partial<SeenRequest>) => requestRecord({ ...SEEN, ...changes }, () => false);

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
