/** Requests that are almost right, and some that are noise. */

import fc from "fast-check";
import { mutated, mutations } from "./json-mutations.ts";
import { LEGACY_VERSIONS, MODERN_VERSION, notification, rpc } from "./mcp.ts";

export interface FuzzedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const NAMES = [
  "Copper Lantern Tearoom",
  "copper",
  "Sastreria",
  "É",
  "🍕",
  "東京",
  "'; DROP TABLE records;--",
  "\u0000",
  "ß".repeat(201),
];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary", maxLength: 30 }));
const city = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("guelph", "Guelph", "GIRONA", "nowhere") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
);
const ofOne = fc.record({ business_name: name, city }, { requiredKeys: ["business_name"] });
const publicId = fc.oneof(
  fc.constantFrom("demo_1", "demo_3ej6t9nar63cvf4e", "__proto__", "a b"),
  fc.string({ unit: "binary", maxLength: 90 }),
);
const ofId = fc.record(
  { business_name: fc.option(name), public_id: publicId, city },
  { requiredKeys: ["public_id"] },
);
const calls = [
  toolCall("get_physical_presence", ofOne),
  toolCall("get_physical_presence", ofId),
  toolCall("check_physical_evidence", ofId),
  toolCall("check_physical_evidence", ofOne),
  toolCall("check_business_reality", fc.record({ name_or_address: name, city })),
  toolCall(
    "compare_presence",
    fc.record({ business_names: fc.array(name, { minLength: 1, maxLength: 11 }), city }),
  ),
  toolCall(
    "city_index",
    fc.record(
      {
        city,
        limit: fc.oneof(
          fc.integer({ min: 0, max: 101 }),
          fc.constantFrom(null, "5", " 7 ", "1e2", "-0", "\u001b[2J"),
        ),
        industry: fc.constantFrom("I", "4711", "x", null),
        online_presence: fc.constantFrom("none", null),
        ranking_state: fc.constantFrom("ranked", "eligible", null),
        claim_status: fc.constantFrom("claimed", "", null),
        cursor: fc.option(fc.base64String()),
      },
      { requiredKeys: ["city"] },
    ),
  ),
  toolCall(
    "get_pulse",
    fc.record(
      {
        city,
        since: fc.constantFrom("2026-01-01", "2026-10-01T00:00:00Z", "0000-00-00", "+275760-09-13", null),
        cursor: fc.option(fc.base64String()),
      },
      { requiredKeys: ["city"] },
    ),
  ),
  toolCall("no_such_tool", ofOne),
  toolCall("__proto__", ofOne),
  fc.constant({ name: "get_pulse" }),
  fc.constant({ name: "get_pulse", arguments: null }),
];
const call = fc.oneof(...calls);

function toolCall(tool: string, given: fc.Arbitrary<object>) {
  return given.map((values) => ({ name: tool, arguments: values }));
}

const goodId = fc.oneof(fc.nat(), fc.uuid());
const oddId = fc.constantFrom<unknown>(
  -1,
  2 ** 53,
  1e300,
  1.5,
  "",
  null,
  true,
  [1],
  "x".repeat(5000),
  "\ud800",
);
const id = fc.oneof({ weight: 5, arbitrary: goodId }, { weight: 1, arbitrary: oddId });

const handshake = {
  protocolVersion: "2025-03-26",
  capabilities: {},
  clientInfo: { name: "fuzz", version: "1" },
};
const request = fc.oneof(
  { weight: 6, arbitrary: call.map((params) => ({ method: "tools/call", params })) },
  fc.constantFrom<{ method: string; params: object }>(
    { method: "initialize", params: handshake },
    { method: "ping", params: {} },
    { method: "tools/list", params: {} },
    { method: "tools/list", params: { cursor: "x" } },
    { method: "resources/read", params: { uri: "file:///etc/passwd" } },
    { method: "server/discover", params: {} },
    { method: "subscriptions/listen", params: { notifications: { toolsListChanged: true } } },
  ),
);
const announced = fc.constantFrom(
  notification("notifications/initialized"),
  notification("notifications/cancelled", { requestId: 1 }),
  notification("notifications/progress", { progressToken: 1, progress: 0.5 }),
);

const legacyMessage = fc
  .tuple(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(id, request).map(([given, { method, params }]) => rpc(given, method, params)),
      },
      announced,
    ),
    mutations,
  )
  .map(([message, changes]) => mutated(message, changes));

const legacy = fc.record({
  headers: fc.record({ "mcp-protocol-version": fc.constantFrom(...LEGACY_VERSIONS) }, { requiredKeys: [] }),
  body: legacyMessage.map(bytes),
});

const modern = fc.tuple(id, request, mutations).map(([given, { method, params }, changes]) => ({
  headers: {
    "mcp-protocol-version": MODERN_VERSION,
    "mcp-method": method,
    ...("name" in params && typeof params.name === "string" ? { "mcp-name": params.name } : {}),
  },
  body: bytes(mutated(rpc(given, method, { ...params, _meta: META }), changes)),
}));

const batch = fc.record({
  headers: fc.constant({}),
  body: fc.array(legacyMessage, { maxLength: 24 }).map(bytes),
});

const noise = fc.record({
  headers: fc.constant({}),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .tuple(legacyMessage.map(bytes), fc.nat(), fc.uint8Array({ maxLength: 3 }))
      .map(([whole, at, octets]) => {
        const cut = at % (whole.length + 1);
        return Buffer.concat([whole.subarray(0, cut), octets, whole.subarray(cut + octets.length)]);
      }),
    fc.constantFrom(64 * 1024, 64 * 1024 + 1, 200_000).map((length) => Buffer.alloc(length, "[")),
  ),
});

const headerValue = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
const strangeHeaders = fc.record(
  {
    "mcp-protocol-version": fc.oneof(
      headerValue,
      fc.constantFrom("2026-07-28", "2099-01-01", "bad", "2026-07-28, 2025-03-26"),
    ),
    "mcp-method": fc.oneof(headerValue, fc.constantFrom("tools/call", "ping", "__proto__")),
    "mcp-name": fc.oneof(headerValue, fc.constantFrom("get_pulse", "=?base64?Z2V0X3B1bHNl?=")),
    "mcp-session-id": headerValue,
    accept: headerValue,
    "content-type": fc.oneof(headerValue, fc.constant("application/json")),
    host: fc.constantFrom("127.0.0.1:80", "127.0.0.1", "evil.example", "%"),
  },
  { requiredKeys: [] },
);

/** In either era, whole or changed, single or in batches, with or without headers of its own making. */
export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: legacy },
      { weight: 4, arbitrary: modern },
      { weight: 1, arbitrary: batch },
      { weight: 1, arbitrary: noise },
    ),
    fc.oneof({ weight: 7, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: strangeHeaders }),
  )
  .map(([{ headers, body }, strange]) => ({ headers: { ...headers, ...strange }, body }));

function bytes(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
