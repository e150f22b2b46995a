import { afterAll, beforeAll, expect, test } from "vitest";
import { StateProcesses } from "../../../tests/support/state/state-processes.ts";
import { describeOnBoth, sharedState, WISH } from "../../../tests/support/state/stores.ts";
import { DAY_MS } from "../../kernel/time.ts";

const PROCESSES = 4;
const LEASE_MS = 60_000;

/** What happens when several processes do the same at the same time. */
describeOnBoth("at the same time", (engine) => {
  const shared = sharedState(engine);
  let processes: StateProcesses;
  beforeAll(async () => {
    processes = await StateProcesses.start(shared.test, PROCESSES);
  });
  afterAll(() => processes[Symbol.asyncDispose]());

  test("four workers claim 2,000 items, each exactly once", async () => {
    const { outbox } = shared.test.state;
    const items = Array.from({ length: 2000 }, (_, n) => ({ key: `item ${n}`, kind: "webhook" as const }));
    await outbox.enqueue(items.map((item) => ({ ...item, target: "wh_1", payload: "{}" })));
    const claimed = await processes.all(async (state) => {
      const ids: number[] = [];
      for (;;) {
        const items = await state.outbox.claim(20, 60_000);
        if (items.length === 0) return ids;
        ids.push(...items.map(({ id }) => id));
        const attempt = { attemptedAt: 1, durationMs: 1, statusCode: 204, error: null };
        await state.outbox.settle(items.map((delivery) => ({ delivery, result: "done", ...attempt })));
      }
    });
    const ids = claimed.flat();
    expect(ids).toHaveLength(2000);
    expect(new Set(ids).size).toBe(2000);
    expect(claimed.filter((one) => one.length > 0).length).toBeGreaterThan(1);
    expect((await outbox.counts()).webhook).toEqual({ waiting: 0, leased: 0, done: 2000, dead: 0 });
  });

  test("the same token is confirmed by one", async () => {
    const { subscriptions, transaction } = { ...shared.test.state };
    const answer = await subscriptions.request({ ...WISH, email: "once@mail.test" });
    const token = answer.token;
    // The token goes the only way that every process reads: through the store.
    await transaction(({ outbox }) =>
      outbox.enqueue([{ key: "token", kind: "mail", target: "test", payload: JSON.stringify(token) }]),
    );
    const wins = await processes.all(async (state) => {
      const [item] = await state.outbox.list({ target: "test" });
      const { outcome } = await state.subscriptions.confirm(JSON.parse(item?.payload ?? "null"));
      return outcome === "confirmed" ? [1] : outcome === "confirmed_before" ? [0] : [9];
    });
    expect(wins.flat().toSorted()).toEqual([0, 0, 0, 1]);
    expect(await subscriptions.active()).toHaveLength(1);
  });

  test("a quota is used up to the last request and not beyond", async () => {
    const { partners } = shared.test.state;
    const client = { name: "Client", contactEmail: null, portalAccess: false };
    const { publicId } = await partners.createClient({ ...client, dailyQuota: 150, monthlyQuota: 1000 });
    const allowed = await processes.all(async (state) => {
      const [client] = await state.partners.listClients();
      let count = 0;
      for (let n = 0; n < 60; n += 1)
        if ((await state.partners.charge(client?.publicId ?? "", 1))?.allowed) count += 1;
      return [count];
    });
    expect(allowed.flat().reduce((sum, count) => sum + count, 0)).toBe(150);
    expect((await partners.quota(publicId))?.daily).toMatchObject({ used: 150, remaining: 0 });
  });

  test("an owner gets ten endpoints, and an address five mails", async () => {
    const made = await processes.all(async (state, number) => {
      const owner = { kind: "client", publicId: "client_1" } as const;
      let created = 0;
      let mails = 0;
      for (let n = 0; n < 4; n += 1) {
        const endpointUrl = `https://receiver.test/${number}/${n}`;
        const { outcome } = await state.webhooks.upsert({ owner, endpointUrl, eventTypes: null, city: null });
        if (outcome === "created") created += 1;
        const wish = { email: "many@mail.test", city: `city-${number}-${n}`, channel: "email" } as const;
        const rest = { entityPublicId: null, industryCode: null, eventTypes: null, minConfidence: 1 };
        await state.subscriptions.request({ ...wish, ...rest, webhookUrl: null });
        const limits = { mailbox: 5, domain: 500 };
        if ((await state.emails.take(wish.email, limits)) === undefined) mails += 1;
      }
      return [created, mails];
    });
    const sum = (at: number) => made.reduce((total, counts) => total + (counts[at] ?? 0), 0);
    expect([sum(0), sum(1)]).toEqual([10, 5]);
  });

  test("requests are counted exactly, whatever their order", async () => {
    await processes.all(async (state, number) => {
      const cities = ["a", "b", "c", "d", "e", "f"];
      for (let batch = 0; batch < 25; batch += 1) {
        const requests = ["internal", ...cities].map(
          (city) =>
            ({
              at: Date.parse("2026-05-01T10:00:00Z"),
              times: 1,
              transport: "rest",
              clientClass: "other_client",
              agent: null,
              status: 200,
              operation: "getPulse",
              tool: null,
              city,
              search: null,
              record: null,
              latencyMs: 1,
              clientId: null,
              client: city,
              internal: city === "internal",
              timedOut: false,
              schemaFailure: false,
              rateLimited: false,
            }) as const,
        );
        await state.usage.record(number % 2 === 0 ? requests : requests.toReversed());
      }
      return [];
    });
    const report = await shared.test.state.usage.report(shared.test.time + DAY_MS, 1);
    expect(report.counts).toMatchObject({ externalRequests: 600, dailyClientInstances: 6 });
    expect(report.topCities.map(({ requests }) => requests)).toEqual([100, 100, 100, 100, 100, 100]);
  });

  test("a release is matched by one", async () => {
    const events = await processes.all(async (state) => {
      const found = await state.publications.match("release", [
        { id: "e1", confidence: 1 },
        { id: "e2", confidence: 1 },
      ]);
      return [found?.size ?? 0];
    });
    expect(events.flat().toSorted()).toEqual([0, 0, 0, 2]);
  });

  test("what a worker held when it was killed with -9 is claimed again after the lease", async () => {
    const { outbox } = shared.test.state;
    await outbox.cancel("test", "done with");
    const items = Array.from({ length: 7 }, (_, n) => ({ key: `held ${n}`, kind: "mail" as const }));
    await outbox.enqueue(items.map((item) => ({ ...item, target: "sub_1", payload: "{}" })));
    const held = await processes.killedAfter(async (state) =>
      (await state.outbox.claim(5, 60_000)).map(({ id }) => id),
    );
    expect(held).toHaveLength(5);
    expect(await outbox.claim(9, LEASE_MS)).toHaveLength(2);
    shared.test.pass(LEASE_MS);
    const again = await outbox.claim(5, LEASE_MS);
    expect(again.map(({ id, attempts }) => [id, attempts])).toEqual(held.map((id) => [id, 2]));
  });
});
