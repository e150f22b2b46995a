import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { DeliveryWorld, fakeRelease } from "../../../tests/support/delivery/delivery-town.ts";
import { verified, WebhookSink } from "../../../tests/support/delivery/sinks.ts";
import { longestTurn } from "../../../tests/support/longest-turn.ts";
import { WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { matchRelease } from "./match-events.ts";
import { withoutRecord } from "./messages.ts";

describe("match events", () => {
  async function outboxOf(world: DeliveryWorld) {
    const items = await world.state.outbox.list({ limit: 1000 });
    return items.toReversed().map(({ key, kind, payload }) => ({ key, kind, message: JSON.parse(payload) }));
  }

  test("each subscription gets what it asked for: city, record, industry with all below it, types, confidence", async () => {
    await using world = await DeliveryWorld.open();
    const release = fakeRelease(
      "r1",
      [
        { id: "food", industry: "5610", recordPublicId: "pr_food" },
        { id: "build", industry: "4100", confidence: 0.5, confidenceLabel: "review_needed" },
        { id: "none", industry: null, type: "stale_asset" },
      ],
      [{ id: "elsewhere" }],
    );
    const wishes = {
      all: {},
      record: { entityPublicId: "pr_food" },
      section: { industryCode: "I" },
      division: { industryCode: "56" },
      sibling: { industryCode: "5621" },
      types: { eventTypes: ["stale_asset", "digital_gap_detected"] },
      sure: { minConfidence: 0.9 },
      beta: { city: "beta" },
      dashboard: { channel: "dashboard" },
    } as const;
    const ids = new Map<string, string>();
    for (const [name, wish] of Object.entries(wishes))
      ids.set(await world.subscribe({ ...wish, email: `${name}@mail.test` }), name);
    expect(await matchRelease(world.state, release)).toEqual({
      events: 4,
      digests: 7,
      webhooks: 0,
      withdrawals: 0,
    });
    const got = (await outboxOf(world)).map(({ key, message }) => [
      ids.get(key.split(":")[0] ?? ""),
      message.events.map(({ id }: { id: string }) => id),
    ]);
    expect(Object.fromEntries(got)).toEqual({
      all: ["food", "build", "none"],
      record: ["food"],
      section: ["food"],
      division: ["food"],
      types: ["none"],
      sure: ["food", "none"],
      beta: ["elsewhere"],
    });
  });

  test("endpoints of partners and of subscriptions get one delivery an event", async () => {
    await using world = await DeliveryWorld.open();
    const all = await world.endpoint("https://receiver.com/all");
    const beta = await world.endpoint("https://receiver.com/beta", { city: "beta" });
    await world.endpoint("https://receiver.com/types", { eventTypes: ["stale_asset"] });
    const webhookUrl = "https://reader.com/hook";
    const own = await world.subscribe({ channel: "webhook", webhookUrl, minConfidence: 0.8 });
    const owner = { kind: "subscription", publicId: own } as const;
    const subscribed = await world.endpoint(webhookUrl, { owner, city: "alpha" });
    const release = fakeRelease("r1", [{ id: "sure" }, { id: "unsure", confidence: 0.5 }], [{ id: "b" }]);
    expect(await matchRelease(world.state, release)).toEqual({
      events: 3,
      digests: 0,
      webhooks: 5,
      withdrawals: 0,
    });
    const items = await outboxOf(world);
    expect(items.map(({ key }) => key).sort()).toEqual(
      [
        `${all.publicId}:event:sure`,
        `${all.publicId}:event:unsure`,
        `${all.publicId}:event:b`,
        `${beta.publicId}:event:b`,
        `${subscribed.publicId}:event:sure`,
      ].sort(),
    );
    const message = items.find(({ key }) => key.endsWith(":sure"))?.message;
    expect(message).toMatchObject({ type: "new_public_record", data: { id: "sure", corridor: null } });
    expect(message.timestamp).toBe(message.data.detected_at);
  });

  test("an event that becomes more certain reaches higher thresholds once, while it is young", async () => {
    await using world = await DeliveryWorld.open();
    const partner = await world.endpoint("https://receiver.com/all");
    const low = await world.subscribe({ email: "low@mail.test", minConfidence: 0.6 });
    const high = await world.subscribe({ email: "high@mail.test", minConfidence: 0.8 });
    const webhookUrl = "https://reader.com/hook";
    const own = await world.subscribe({ channel: "webhook", webhookUrl, minConfidence: 0.8 });
    const owner = { kind: "subscription", publicId: own } as const;
    const hook = await world.endpoint(webhookUrl, { owner, city: "alpha" });
    const old = { id: "old", detectedAt: fakeRelease("r0", []).release().asOf - 31 * DAY_MS };
    const keysOf = async (name: string, confidence: number) => {
      await matchRelease(
        world.state,
        fakeRelease(name, [
          { id: "e", confidence },
          { ...old, confidence },
        ]),
      );
      return (await outboxOf(world)).map(({ key }) => key).filter((key) => !known.has(key));
    };
    const known = new Set<string>();
    const first = await keysOf("r1", 0.6);
    const fromPartner = [`${partner.publicId}:event:e`, `${partner.publicId}:event:old`];
    expect(first.sort()).toEqual([`${low}:digest:r1`, ...fromPartner].sort());
    for (const key of first) known.add(key);
    expect(await keysOf("r2", 0.7)).toEqual([]);
    const raised = await keysOf("r3", 0.85);
    expect(raised.sort()).toEqual([`${high}:digest:r3`, `${hook.publicId}:event:e`].sort());
    for (const key of raised) known.add(key);
    expect(await keysOf("r4", 0.6)).toEqual([]);
    expect(await keysOf("r5", 0.85)).toEqual([]);
  });

  test("the ages that end it, to the millisecond: 30 days for a threshold reached later, 365 for any event", async () => {
    await using world = await DeliveryWorld.open();
    const { asOf } = fakeRelease("r0", []).release();
    await world.subscribe({ minConfidence: 0.8 });
    const agedEvents = (confidence: number, ages: readonly number[]) =>
      ages.flatMap((days) =>
        [0, -1].map((ms) => ({ id: `${days}${ms}`, detectedAt: asOf - days * DAY_MS + ms, confidence })),
      );
    const sentBy = async (name: string, confidence: number, ages: readonly number[]) => {
      await matchRelease(world.state, fakeRelease(name, agedEvents(confidence, ages)));
      const items = (await outboxOf(world)).filter(({ key }) => key.endsWith(`:${name}`));
      return items.flatMap(({ message }) => message.events.map(({ id }: { id: string }) => id));
    };
    expect(await sentBy("r1", 0.7, [30])).toEqual([]);
    expect(await sentBy("r2", 0.9, [30])).toEqual(["300"]);
    expect(await sentBy("r3", 0.9, [365])).toEqual(["3650"]);
  });

  test("a release is matched once, and an event is new once, in whatever release it comes again", async () => {
    await using world = await DeliveryWorld.open();
    await world.subscribe();
    const first = fakeRelease("r1", [{ id: "e1" }]);
    const queued = { events: 1, digests: 1, webhooks: 0, withdrawals: 0 };
    expect(await matchRelease(world.state, first)).toEqual(queued);
    expect(await matchRelease(world.state, first)).toBeUndefined();
    // Whoever comes second still knows what was queued: the night counts what the server was first to queue.
    expect(await world.state.publications.queued(first.release().releaseId)).toEqual(queued);
    const second = fakeRelease("r2", [{ id: "e1" }, { id: "e2" }]);
    expect(await matchRelease(world.state, second)).toEqual({
      events: 1,
      digests: 1,
      webhooks: 0,
      withdrawals: 0,
    });
    expect(await matchRelease(world.state, fakeRelease("r3", [{ id: "e2" }]))).toEqual({
      events: 0,
      digests: 0,
      webhooks: 0,
      withdrawals: 0,
    });
    expect(
      (await outboxOf(world)).map(({ message }) => message.events.map(({ id }: { id: string }) => id)),
    ).toEqual([["e1"], ["e2"]]);
  });

  test("killed with -9 in the middle it is as if it had not begun, and is done once by the next", async () => {
    await using world = await DeliveryWorld.open();
    for (let n = 0; n < 20; n += 1) await world.subscribe({ email: `reader${n}@mail.test` });
    const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
    const child = spawn(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import { openState } from ${module("../../state/open-state.ts")};
       import { matchRelease } from ${module("./match-events.ts")};
       import { fakeRelease } from ${module("../../../tests/support/delivery/delivery-town.ts")};
       const state = await openState(undefined, ${JSON.stringify(world.test.home)});
       const release = fakeRelease("r1", [{ id: "e1" }]);
       let left = 10;
       const city = (slug) => --left > 0 ? release.city(slug) : process.kill(process.pid, "SIGKILL");
       await matchRelease(state, { ...release, city });`,
      ],
      { stdio: "inherit" },
    );
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
    expect(await outboxOf(world)).toEqual([]);
    expect(await world.state.publications.isMatched("r1")).toBe(false);
    const release = fakeRelease("r1", [{ id: "e1" }]);
    expect(await matchRelease(world.state, release)).toEqual({
      events: 1,
      digests: 20,
      webhooks: 0,
      withdrawals: 0,
    });
    expect(new Set((await outboxOf(world)).map(({ key }) => key)).size).toBe(20);
  });

  test("a digest lists the first twenty events and counts the rest", async () => {
    await using world = await DeliveryWorld.open();
    await world.subscribe();
    const many = Array.from({ length: 300 }, (_, n) => ({ id: `e${n}` }));
    await matchRelease(world.state, fakeRelease("r1", many));
    const [digest] = await outboxOf(world);
    expect(digest?.message).toMatchObject({ total: 300, scope: "every record in Alpha" });
    expect(digest?.message.events).toHaveLength(20);
  });

  test("a record that opts out leaves the digests and the deliveries", async () => {
    await using world = await DeliveryWorld.open();
    await world.subscribe();
    await world.endpoint("https://receiver.com/hook");
    const events = [
      { id: "e1", recordPublicId: "pr_gone", headline: "Gone was seen" },
      { id: "e2", recordPublicId: "pr_stays" },
    ];
    await matchRelease(world.state, fakeRelease("r1", events));
    await world.state.forgetRecord("pr_gone", withoutRecord("pr_gone"));
    const items = await outboxOf(world);
    expect(JSON.stringify(items)).not.toMatch(/pr_gone|Gone/);
    expect(items.find(({ kind }) => kind === "mail")?.message).toMatchObject({
      total: 1,
      events: [{ id: "e2" }],
    });
  });

  test("a record that opts out leaves the count of a digest, too, wherever its events are", async () => {
    await using world = await DeliveryWorld.open();
    await world.subscribe();
    const events = ["pr_gone", "pr_stays", "pr_other"].flatMap((recordPublicId) =>
      Array.from({ length: 20 }, (_, n) => ({ id: `${recordPublicId}:${n}`, recordPublicId })),
    );
    await matchRelease(world.state, fakeRelease("r1", events));
    for (const [record, left] of [
      ["pr_other", { total: 40, unlisted: { pr_stays: 20 } }],
      ["pr_gone", { total: 20, events: [], unlisted: { pr_stays: 20 } }],
    ] as const) {
      await world.state.forgetRecord(record, withoutRecord(record));
      expect((await outboxOf(world))[0]?.message).toMatchObject(left);
    }
    await world.state.forgetRecord("pr_stays", withoutRecord("pr_stays"));
    expect(JSON.stringify(await outboxOf(world))).not.toContain("pr_");
  });

  test("thousands of events leave the thread free between them", async () => {
    await using world = await DeliveryWorld.open();
    for (let index = 0; index < 4; index += 1) await world.endpoint(`https://hooks.example/${index}`);
    for (let index = 0; index < 20; index += 1) await world.subscribe({ email: `reader${index}@mail.test` });
    const events = (release: number) =>
      Array.from({ length: 8000 }, (_, index) => ({ id: `e${release}-${index}` }));
    await matchRelease(world.state, fakeRelease("r1", events(1).slice(0, 1000))); // compiles
    const release = fakeRelease("r2", events(2));
    const ms = await longestTurn(async () =>
      expect(await matchRelease(world.state, release)).toMatchObject({
        events: 8000,
        digests: 20,
        webhooks: 32_000,
      }),
    );
    expect(ms).toBeLessThan(120); // all at once, half as many took 160
  });
});

describe("withdrawal items", () => {
  /** Partners who hold copies can purge: each endpoint is told once, with row numbers alone. */

  const WITHDRAWN = [
    { erasedBy: 90, row: 4 },
    { erasedBy: 90, row: 5 },
    { erasedBy: 90, row: 17 },
    { erasedBy: 95, row: 60 },
  ];

  test("every endpoint gets each withdrawal once, whatever it asked for, and signed", async () => {
    await using sink = await WebhookSink.start();
    await using world = await DeliveryWorld.open();
    world.test.time = Date.now(); // the library that receivers use looks at the machine's clock
    const endpoint = await world.endpoint(sink.url, { city: "beta", eventTypes: ["stale_asset"] });
    const release = (name: string, withdrawn: typeof WITHDRAWN) => fakeRelease(name, [], [], withdrawn);
    expect(await matchRelease(world.state, release("r1", WITHDRAWN.slice(0, 3)))).toEqual({
      events: 0,
      digests: 0,
      webhooks: 0,
      withdrawals: 1,
    });
    expect(await matchRelease(world.state, release("r1", WITHDRAWN))).toBeUndefined();
    expect(await matchRelease(world.state, release("r2", WITHDRAWN))).toMatchObject({ withdrawals: 1 });
    expect(await matchRelease(world.state, release("r3", WITHDRAWN))).toMatchObject({ withdrawals: 0 });
    expect(await world.deliver()).toMatchObject({ done: 2 });
    const [secret = ""] = world.state.webhooks.signingSecrets(endpoint);
    const messages = sink.received
      .map((one) => verified(secret, one))
      .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
    expect(messages).toEqual([
      message({
        withdrawn_by: 90,
        rows: [
          [4, 5],
          [17, 17],
        ],
      }),
      message({ withdrawn_by: 95, rows: [[60, 60]] }),
    ]);
  });

  function message(data: object) {
    const common = { part: 1, parts: 1, withdrawals_url: "https://presence.test/api/v1/withdrawals" };
    return {
      type: "ledger.withdrawal",
      timestamp: "2026-06-30T00:00:00Z",
      data: { ...common, ...data },
    };
  }

  test("a withdrawal of ten thousand scattered rows comes in parts that keep to the promised size", async () => {
    await using sink = await WebhookSink.start();
    await using world = await DeliveryWorld.open();
    await world.endpoint(sink.url);
    const first = 999_000_001;
    const rows = Array.from({ length: 10_000 }, (_, at) => ({ erasedBy: 999_999_999, row: first + 2 * at }));
    await matchRelease(world.state, fakeRelease("r1", [], [], rows));
    await world.deliver();
    // In any order, as the contract says.
    const data = sink.received
      .map(({ body }) => JSON.parse(body).data)
      .sort((one, other) => one.part - other.part);
    expect(data.map(({ part, parts }) => [part, parts])).toEqual(
      Array.from({ length: 20 }, (_, at) => [at + 1, 20]),
    );
    expect(data.flatMap((one) => one.rows).map(([from]) => from)).toEqual(rows.map(({ row }) => row));
    for (const { body } of sink.received)
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(WEBHOOK_DELIVERY.payloadBytes);
  });
});
