import { expect, test } from "vitest";
import { describeOnBoth, TestState } from "../../tests/support/state/stores.ts";
import { DAY_MS } from "../kernel/time.ts";

describeOnBoth("a record that opted out", (engine) => {
  test("is in no delivery, request, counter or subscription any more, and nothing else is touched", async () => {
    await using test = await TestState.open(engine);
    const { outbox, subscriptions, usage } = test.state;
    const payloads = { alone: ["demo_1"], both: ["demo_1", "demo_2"], other: ["demoX1"] };
    await outbox.enqueue(
      Object.entries(payloads).map(([key, ids]) => ({
        key,
        kind: "mail",
        target: "sub_1",
        payload: JSON.stringify(ids),
      })),
    );
    const wish = { email: "a@mail.test", city: "toronto", channel: "email", industryCode: null } as const;
    const rest = { eventTypes: null, minConfidence: 0.6, webhookUrl: null };
    for (const entityPublicId of ["demo_1", "demo_2"]) {
      const answer = await subscriptions.request({ ...wish, ...rest, entityPublicId });
      await subscriptions.confirm(answer.token);
    }
    const request = {
      at: test.time,
      times: 1,
      transport: "rest",
      clientClass: "other_client",
      status: 200,
    } as const;
    const blank = {
      agent: null,
      tool: null,
      city: null,
      search: null,
      latencyMs: 1,
      clientId: "client_1", // requests of strangers are counted, and not stored
      client: null,
    };
    const flags = { internal: false, timedOut: false, schemaFailure: false, rateLimited: false };
    for (const record of ["demo_1", "demo_2"])
      await usage.record([{ ...request, ...blank, ...flags, operation: "getEntity", record }]);

    const report = { kind: "privacy", text: "Take it out, please.", email: null } as const;
    for (const record of ["demo_1", "demo_2"])
      await test.state.reports.file({ ...report, about: record, record });

    const rewrite = (payload: string) => {
      const ids: string[] = JSON.parse(payload);
      const left = ids.filter((id) => id !== "demo_1");
      return left.length === 0 ? undefined : JSON.stringify(left);
    };
    expect(await test.state.forgetRecord("demo_1", rewrite)).toEqual({
      deliveries: 2,
      removals: 0,
      requests: 1,
      subscriptions: 1,
      reports: 1,
    });
    expect((await outbox.list()).map(({ key, state, payload }) => [key, state, payload])).toEqual([
      ["other", "waiting", '["demoX1"]'],
      ["both", "waiting", '["demo_2"]'],
      ["alone", "dead", "{}"],
    ]);
    expect((await subscriptions.active()).map((one) => one.entityPublicId)).toEqual(["demo_2"]);
    expect((await test.state.reports.open()).map(({ about }) => about).sort()).toEqual(["demo_2", null]);
    const activity = await usage.report(test.time + DAY_MS, 1);
    expect(activity.topRecords).toEqual([{ value: "demo_2", requests: 1 }]);
    expect(activity.counts.externalRequests).toBe(2);
    expect(await test.state.forgetRecord("demo_1", rewrite)).toEqual({
      deliveries: 0,
      removals: 0,
      requests: 0,
      subscriptions: 0,
      reports: 0,
    });
  });
});
