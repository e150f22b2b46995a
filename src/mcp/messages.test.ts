import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MCP_LIMITS } from "../contract/limits.ts";
import { INVALID_REQUEST, MessageFault, PARSE_ERROR, readMessages } from "./messages.ts";

const CANCELLED = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
const call = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/call", params: {} });
const read = (value: unknown) => readMessages(JSON.stringify(value));

function fault(text: string): MessageFault {
  try {
    readMessages(text);
  } catch (error) {
    if (error instanceof MessageFault) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("one message", () => {
  test("is passed on as it came, and costs one", () => {
    expect(read(call(7))).toEqual({ body: call(7), cost: 1, id: 7 });
    expect(read(call("a"))).toMatchObject({ id: "a" });
    expect(read({ jsonrpc: "2.0", method: "notifications/initialized" })).toMatchObject({
      cost: 1,
      id: null,
    });
  });

  test.each([[null], [true], [[1]], [{}], [undefined]])("an id of %o is not echoed", (id) => {
    expect(read(call(id)).id).toBeNull();
  });

  test.each([null, 3, "x", {}, { id: 1 }, { id: 1, result: {} }])(
    "%o is no request: it is left to the protocol to refuse, and its id is not echoed",
    (body) => {
      expect(read(body)).toEqual({ body, cost: 1, id: null });
    },
  );

  test("an id under __proto__ is not taken for one", () => {
    expect(readMessages('{"__proto__":{"id":5,"method":"ping"}}').id).toBeNull();
  });
});

describe("a batch", () => {
  test("costs as much as it has messages, and echoes the first id", () => {
    const batch = [{ jsonrpc: "2.0", method: "notifications/initialized" }, call(4), call("b")];
    expect(read(batch)).toEqual({ body: batch, cost: 3, id: 4 });
  });

  test.each([
    { batch: [call(1), CANCELLED], kept: [call(1)] },
    { batch: [CANCELLED, call(1)], kept: [call(1)] },
    { batch: [CANCELLED, CANCELLED], kept: undefined },
  ])("drops cancellations, which would leave its own requests without an answer: %#", ({ batch, kept }) => {
    expect(read(batch)).toMatchObject({ body: kept, cost: batch.length });
  });

  test("a cancellation alone, outside a batch, is left to the protocol", () => {
    expect(read(CANCELLED).body).toEqual(CANCELLED);
  });

  test("is refused when it is empty, too long, or has an id twice", () => {
    const many = (count: number) => JSON.stringify(Array.from({ length: count }, (_, id) => call(id)));
    expect(fault("[]")).toMatchObject({
      code: INVALID_REQUEST,
      message: "the batch must contain at least one message",
    });
    expect(readMessages(many(MCP_LIMITS.batchMessages)).cost).toBe(MCP_LIMITS.batchMessages);
    expect(fault(many(MCP_LIMITS.batchMessages + 1))).toMatchObject({
      code: INVALID_REQUEST,
      message: "the batch must contain at most 20 messages (got 21)",
    });
    expect(fault(JSON.stringify([call(1), call(1)])).message).toBe("message ids in a batch must be unique");
  });

  test("1 and “1” are different ids, as in JSON-RPC", () => {
    expect(read([call(1), call("1")]).cost).toBe(2);
  });
});

describe("a body", () => {
  test.each(["", "{", "NaN", "{'a':1}", "\u0000", '{"a":1}x'])("%o is not JSON", (text) => {
    expect(fault(text)).toMatchObject({ code: PARSE_ERROR, message: "the body is not valid JSON" });
  });

  test("nested too deep is refused, however deep", () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    expect(readMessages(nested(32)).cost).toBe(1);
    expect(fault(nested(33))).toMatchObject({
      code: INVALID_REQUEST,
      message: "the message must be nested at most 32 levels deep",
    });
    expect(fault("[".repeat(30_000) + "]".repeat(30_000)).code).toBe(INVALID_REQUEST);
  });

  test("of any JSON is read or refused by a MessageFault", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        try {
          const { cost } = readMessages(text);
          expect(cost).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(MessageFault);
        }
      }),
    );
  });
});

test("a parameter of null is none, in batches too; what is in the arguments is the tool's", () => {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const without = { ...call, params: { name: "get_pulse" } };
  const nulls = { ...call, params: { name: "get_pulse", arguments: null, _meta: null } };
  expect(readMessages(JSON.stringify(nulls)).body).toEqual(without);
  expect(readMessages(JSON.stringify([nulls, { ...call, id: 2, params: null }])).body).toEqual([
    without,
    { ...call, id: 2, params: null },
  ]);
  const inner = { ...call, params: { name: "get_pulse", arguments: { since: null } } };
  expect(readMessages(JSON.stringify(inner)).body).toEqual(inner);
});
