import { expect, test } from "vitest";
import { describeOnBoth, TestState } from "../../../tests/support/state/stores.ts";
import type { Delivery, NewDelivery, Outcome } from "./outbox.ts";

const LEASE_MS = 30_000;

function item(key: string, changes: Partial<NewDelivery> = {}): NewDelivery {
  return { key, kind: "webhook", target: "wh_1", payload: `{"key":"${key}"}`, ...changes };
}

function outcome(
  delivery: Delivery | undefined,
  result: Outcome["result"],
  changes: Partial<Outcome> = {},
): Outcome {
  if (delivery === undefined) throw new Error("nothing was claimed");
  const attempt = { attemptedAt: 1, durationMs: 12.4, statusCode: result === "done" ? 204 : 503 };
  return { delivery, result, ...attempt, error: result === "done" ? null : "HTTP 503", ...changes };
}

describeOnBoth("the outbox", (engine) => {
  test("takes a key once, hands an item to one worker, and is done", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    expect(await outbox.enqueue([item("a"), item("b"), item("a")])).toBe(2);
    expect(await outbox.enqueue([item("b"), item("c")])).toBe(1);
    expect(await outbox.enqueue([])).toBe(0);
    const claimed = await outbox.claim(2, LEASE_MS);
    expect(claimed.map(({ key, attempts, tries, state }) => [key, attempts, tries, state])).toEqual([
      ["a", 1, 1, "leased"],
      ["b", 1, 1, "leased"],
    ]);
    expect((await outbox.claim(9, LEASE_MS)).map(({ key }) => key)).toEqual(["c"]);
    expect(await outbox.claim(9, LEASE_MS)).toEqual([]);
    await outbox.settle(claimed.map((delivery) => outcome(delivery, "done")));
    await outbox.settle([]);
    expect((await outbox.counts()).webhook).toEqual({ waiting: 0, leased: 1, done: 2, dead: 0 });
    expect(await outbox.list({ state: "done" })).toMatchObject([
      { key: "b", payload: '{"key":"b"}', finishedAt: test.time, dueAt: null },
      { key: "a" },
    ]);
  });

  test("comes again after the lease when a worker died, and the late worker's failure changes nothing", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    await outbox.enqueue([item("a")]);
    const [late] = await outbox.claim(1, LEASE_MS);
    test.pass(LEASE_MS - 1);
    expect(await outbox.claim(1, LEASE_MS)).toEqual([]);
    test.pass(1);
    const [again] = await outbox.claim(1, LEASE_MS);
    expect(again).toMatchObject({ id: late?.id, key: "a", attempts: 2, tries: 2 });
    await outbox.settle([outcome(late, "dead")]);
    expect((await outbox.list())[0]).toMatchObject({ state: "leased", lastError: null });
    await outbox.settle([outcome(again, "retry", { retryAt: test.time + 1000 })]);
    expect((await outbox.list())[0]).toMatchObject({ state: "waiting", lastError: "HTTP 503" });
    await outbox.settle([outcome(late, "done")]); // it did arrive
    expect((await outbox.list())[0]).toMatchObject({ state: "done", lastError: null });
    expect(await outbox.attempts(again?.id ?? 0)).toMatchObject([
      { error: "HTTP 503", durationMs: 12 },
      { error: "HTTP 503" },
      { error: null, statusCode: 204 },
    ]);
  });

  test("waits for the next attempt, dies when it is given up, and is replayed with the same key", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    await outbox.enqueue([item("a")]);
    const [first] = await outbox.claim(1, LEASE_MS);
    await outbox.settle([outcome(first, "retry", { retryAt: test.time + 5000 })]);
    expect(await outbox.nextDueAt()).toBe(test.time + 5000);
    expect(await outbox.claim(1, LEASE_MS)).toEqual([]);
    test.pass(5000);
    const [second] = await outbox.claim(1, LEASE_MS);
    const endless = `${"x".repeat(5000)}\0\ud800`;
    await outbox.settle([outcome(second, "dead", { error: endless })]);
    expect((await outbox.list())[0]).toMatchObject({ state: "dead", lastError: "x".repeat(1000) });
    expect(await outbox.nextDueAt()).toBeUndefined();
    expect(await outbox.replay(second?.id ?? 0)).toBe(true);
    expect(await outbox.replay(second?.id ?? 0)).toBe(false);
    expect(await outbox.replay(4711)).toBe(false);
    const [third] = await outbox.claim(1, LEASE_MS);
    expect(third).toMatchObject({ key: "a", attempts: 3, tries: 1 });
    await outbox.settle([outcome(third, "done", { error: "\0odd" })]);
    expect((await outbox.attempts(third?.id ?? 0)).at(-1)?.error).toBe("odd");
    await expect(outbox.settle([outcome(third, "retry")])).rejects.toThrow("a retry needs its time");
    expect(await outbox.attempts(third?.id ?? 0)).toHaveLength(3); // all or nothing
  });

  test("is filtered, paged, cancelled and pruned", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    const targets = ["wh_1", "wh_2", "sub_1"];
    await outbox.enqueue(
      targets.flatMap((target) =>
        [1, 2, 3].map((n) =>
          item(`${target} ${n}`, { target, kind: target === "sub_1" ? "mail" : "webhook" }),
        ),
      ),
    );
    expect((await outbox.claim(2, LEASE_MS, "mail")).map(({ key }) => key)).toEqual(["sub_1 1", "sub_1 2"]);
    expect((await outbox.list({ kind: "mail", state: "waiting" })).map(({ key }) => key)).toEqual([
      "sub_1 3",
    ]);
    const page = await outbox.list({ limit: 2 });
    const next = await outbox.list({ limit: 2, beforeId: page.at(-1)?.id ?? 0 });
    expect([...page, ...next].map(({ key }) => key)).toEqual(["sub_1 3", "sub_1 2", "sub_1 1", "wh_2 3"]);
    expect(await outbox.cancel("sub_1", "gone")).toBe(3);
    expect(await outbox.cancel("sub_1", "gone")).toBe(0);
    expect((await outbox.counts()).mail).toEqual({ waiting: 0, leased: 0, done: 0, dead: 3 });
    test.pass(1000);
    expect(await outbox.prune(test.time)).toBe(3);
    expect((await outbox.list({ target: "sub_1" })).length).toBe(0);
    expect((await outbox.counts()).webhook.waiting).toBe(6);
  });

  test("takes 10,000 items at once", async () => {
    await using test = await TestState.open(engine);
    const many = Array.from({ length: 10_000 }, (_, n) => item(`key ${n}`));
    expect(await test.state.outbox.enqueue(many)).toBe(10_000);
    expect(await test.state.outbox.enqueue(many)).toBe(0);
  });
});

describeOnBoth("a receiver that does not answer", (engine) => {
  test("gets nothing before its time, and what was not tried is no try", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    await outbox.enqueue([item("a"), item("b"), item("c"), item("d", { target: "wh_2" })]);
    const [tried, ...untried] = await outbox.claim(2, LEASE_MS);
    const until = test.time + 5000;
    await outbox.settle([outcome(tried, "retry", { retryAt: until })]);
    await outbox.release(untried, until);
    await outbox.release(untried, 0); // it is not held any more
    await outbox.postpone({ kind: "webhook", target: "wh_1" }, until);
    const due = (await outbox.list()).map(({ key, tries, state, dueAt }) => [
      key,
      tries,
      state,
      dueAt === until,
    ]);
    expect(due).toEqual([
      ["d", 0, "waiting", false],
      ["c", 0, "waiting", true],
      ["b", 0, "waiting", true],
      ["a", 1, "waiting", true],
    ]);
    await outbox.postpone({ kind: "mail" }, until + 1);
    expect((await outbox.claim(9, LEASE_MS)).map(({ key }) => key)).toEqual(["d"]);
    await outbox.postpone({ kind: "webhook" }, until + 1);
    test.pass(5000);
    expect(await outbox.claim(9, LEASE_MS)).toEqual([]);
    test.pass(1);
    expect(await outbox.claim(9, LEASE_MS)).toHaveLength(3);
  });
});

describeOnBoth("what must not be kept", (engine) => {
  test("goes when the item is finished or cancelled, and not before; then nothing can be replayed", async () => {
    await using test = await TestState.open(engine);
    const { outbox } = test.state;
    await outbox.enqueue([item("private"), item("plain"), item("cancelled", { target: "wh_2" })]);
    const [first, plain] = await outbox.claim(2, LEASE_MS);
    const isPrivate = true;
    await outbox.settle([outcome(first, "retry", { retryAt: test.time, isPrivate }), outcome(plain, "done")]);
    const payloads = async () => (await outbox.list()).map(({ key, payload }) => [key, payload]);
    expect(await payloads()).toEqual([
      ["cancelled", '{"key":"cancelled"}'],
      ["plain", '{"key":"plain"}'],
      ["private", '{"key":"private"}'],
    ]);
    await outbox.cancel("wh_2", "over");
    const [again] = await outbox.claim(1, LEASE_MS);
    await outbox.settle([outcome(again, "done", { isPrivate })]);
    expect(await payloads()).toEqual([
      ["cancelled", "{}"],
      ["plain", '{"key":"plain"}'],
      ["private", "{}"],
    ]);
    expect(await outbox.replay(again?.id ?? 0)).toBe(false);
    expect(await outbox.replay(plain?.id ?? 0)).toBe(true);
  });
});

describeOnBoth("matching a release", (engine) => {
  test("happens once, and each event is new once", async () => {
    await using test = await TestState.open(engine);
    const { publications } = test.state;
    const matched = async (release: string, ids: readonly string[]) => {
      const raised = await publications.match(
        release,
        ids.map((id) => ({ id, confidence: 1 })),
      );
      return [...(raised ?? new Map()).keys()];
    };
    expect(await matched("r1", ["e2", "e1", "e2"])).toEqual(["e2", "e1"]);
    expect(await matched("r1", ["e3"])).toEqual([]);
    expect(await matched("r2", ["e3", "e1", "e2", "e4"])).toEqual(["e3", "e4"]);
    expect(await matched("r3", [])).toEqual([]);
    expect([await publications.isMatched("r2"), await publications.isMatched("r4")]).toEqual([true, false]);
    const many = Array.from({ length: 2500 }, (_, n) => `event ${n}`);
    expect(await matched("r4", many)).toEqual(many);
  });

  test("is in or out together with the deliveries", async () => {
    await using test = await TestState.open(engine);
    const { state } = test;
    const matching = (fault: boolean) =>
      state.transaction(async ({ publications, outbox }) => {
        const events = [
          ...((await publications.match("r1", [{ id: "e1", confidence: 1 }])) ?? new Map()).keys(),
        ];
        await outbox.enqueue(events.map((event) => item(event)));
        if (fault) throw new Error("killed");
        return events;
      });
    await expect(matching(true)).rejects.toThrow("killed");
    expect(await state.publications.isMatched("r1")).toBe(false);
    expect(await state.outbox.list()).toEqual([]);
    expect(await matching(false)).toEqual(["e1"]);
    expect(await state.outbox.list()).toMatchObject([{ key: "e1" }]);
  });
});
