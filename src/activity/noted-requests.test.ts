import { expect, test } from "vitest";
import { DAY_MS } from "../kernel/time.ts";
import type { MessageNote } from "../mcp/call-notes.ts";
import { NotedRequests } from "./noted-requests.ts";
import type { SeenRequest } from "./seen-request.ts";

const CALL: MessageNote = {
  method: "tools/call",
  tool: "get_pulse",
  city: "guelph",
  record: null,
  search: null,
  isRefused: false,
};
const SEEN: SeenRequest = {
  at: 5,
  times: 1,
  method: "GET",
  url: "/api/v1/cities",
  status: 200,
  latencyMs: null,
  userAgent: "curl/8",
  address: "192.0.2.1",
  clientId: null,
  timedOut: false,
  foundNothing: false,
  message: null,
};

function entriesOf(requests: readonly SeenRequest[]): readonly SeenRequest[] {
  const noted = new NotedRequests(1e6);
  for (const seen of requests) noted.add(seen);
  noted.close();
  return noted.first(100);
}

test("equal requests are one entry, with their number and the time of the last", () => {
  expect(entriesOf([SEEN, { ...SEEN, at: 9 }, { ...SEEN, at: 7 }])).toEqual([{ ...SEEN, at: 9, times: 3 }]);
  expect(SEEN.times).toBe(1);
});

test.each<Partial<SeenRequest>>([
  { at: DAY_MS },
  { method: "HEAD" },
  { url: "/api/v1/cities?" },
  { status: 304 },
  { status: null },
  { userAgent: "curl/9" },
  { address: "192.0.2.2" },
  { timedOut: true },
  { foundNothing: true },
  { message: CALL },
])("requests that differ in %o are two", (change) => {
  expect(entriesOf([SEEN, { ...SEEN, ...change }])).toEqual([SEEN, { ...SEEN, ...change }]);
});

test("messages that differ in anything are two", () => {
  const search = { city: "Guelph", foundNothing: false };
  const changes: Partial<MessageNote>[] = [
    { method: "ping" },
    { tool: null },
    { city: null },
    { record: "demo_1" },
    { search },
    { search: { ...search, foundNothing: true } },
    { isRefused: true },
  ];
  const calls = [{}, ...changes].map((change) => ({ ...SEEN, message: { ...CALL, ...change } }));
  expect(entriesOf([...calls, ...calls])).toEqual(calls.map((call) => ({ ...call, times: 2 })));
});

test("each request of a partner stays one, because it is stored with time and latency", () => {
  const ofPartner = { ...SEEN, clientId: "client_1", latencyMs: 3 };
  const later = { ...ofPartner, at: 6 };
  expect(entriesOf([ofPartner, { ...ofPartner }, later])).toEqual([ofPartner, ofPartner, later]);
});

test("entries that are being written take no more requests, and room comes back with their removal", () => {
  const noted = new NotedRequests(400);
  noted.add(SEEN);
  noted.close();
  const [first] = noted.first(1);
  noted.add(SEEN); // no room for a second entry
  expect([first, noted.requests, noted.takeDropped(), noted.takeDropped()]).toEqual([SEEN, 1, 1, 0]);
  noted.remove(noted.first(1));
  noted.add(SEEN);
  noted.add(SEEN);
  expect([noted.requests, noted.takeDropped()]).toEqual([2, 0]);
});
