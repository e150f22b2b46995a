import { execFileSync } from "node:child_process";
import dns from "node:dns";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DeliveryWorld, fakeRelease, LOOPBACK } from "../../../tests/support/delivery/delivery-town.ts";
import { MailSink, verified, WebhookSink } from "../../../tests/support/delivery/sinks.ts";
import { ChangeEvent } from "../../contract/cities/pulse.ts";
import { DAY_MS, HOUR_MS, isoTime } from "../../kernel/time.ts";
import { matchRelease } from "./match-events.ts";
import { enqueueTest, enqueueVerification } from "./messages.ts";
import { webhookSender } from "./webhook-sender.ts";

/** The library that receivers use looks at the clock of the machine. */
async function openNow(smtpUrl?: string): Promise<DeliveryWorld> {
  const world = await DeliveryWorld.open(smtpUrl);
  world.test.time = Date.now();
  return world;
}

async function withEvent(world: DeliveryWorld, url: string) {
  const webhook = await world.endpoint(url);
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  return webhook;
}

test("an endpoint that echoes the challenge is verified, and then gets its events", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  const { partners, webhooks, outbox } = world.state;
  const client = await partners.createClient({
    name: "Partner",
    contactEmail: null,
    portalAccess: true,
    dailyQuota: 1,
    monthlyQuota: 1,
  });
  const owner = { kind: "client", publicId: client.publicId } as const;
  const made = await webhooks.upsert({ owner, endpointUrl: sink.url, eventTypes: null, city: null });
  if (made.outcome === "limit_reached") throw new Error(made.outcome);
  const { publicId } = made.webhook;
  const now = isoTime(world.test.time);
  expect(await enqueueTest(outbox, made.webhook, "n1", now)).toBe(0);
  expect(await enqueueVerification(outbox, made.webhook, now)).toBe(1);
  expect(await enqueueVerification(outbox, made.webhook, now)).toBe(0);

  sink.answer = (_, response) => response.writeHead(200).end("hello");
  expect(await world.deliver()).toEqual({ done: 0, retry: 1, dead: 0 });
  expect((await outbox.list())[0]?.lastError).toBe("the challenge was not echoed");
  expect((await world.webhook(publicId)).status).toBe("pending");

  sink.answer = ({ body }, response) =>
    response.writeHead(200).end(JSON.stringify({ challenge: JSON.parse(body).data.challenge }));
  world.test.pass(6000);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
  expect((await world.webhook(publicId)).status).toBe("active");
  const [first, second] = sink.received;
  expect(second && verified(made.signingSecret, second)).toMatchObject({ type: "webhook.verification" });
  expect(first?.id).toBe(second?.id);
  expect(JSON.stringify(await outbox.list())).not.toContain(JSON.parse(second?.body ?? "").data.challenge);

  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  expect(await enqueueTest(outbox, await world.webhook(publicId), "n1", now)).toBe(1);
  expect(await world.deliver()).toEqual({ done: 2, retry: 0, dead: 0 });
  const messages = sink.received.slice(2).map((one) => verified(made.signingSecret, one));
  expect(messages).toEqual([
    { type: "new_public_record", timestamp: expect.any(String), data: expect.objectContaining({ id: "e1" }) },
    { type: "webhook.test", timestamp: now, data: { webhook_public_id: publicId } },
  ]);
  expect(ChangeEvent.safeParse(JSON.parse(sink.received[2]?.body ?? "").data).success).toBe(true);
});

test("a challenge may be echoed as plain text", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  sink.answer = ({ body }, response) => response.end(`${JSON.parse(body).data.challenge}\n`);
  const owner = { kind: "subscription", publicId: await world.subscribe({ channel: "webhook" }) } as const;
  const made = await world.state.webhooks.upsert({
    owner,
    endpointUrl: sink.url,
    eventTypes: null,
    city: null,
  });
  if (made.outcome === "limit_reached") throw new Error(made.outcome);
  await enqueueVerification(world.state.outbox, made.webhook, isoTime(world.test.time));
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
});

test("for a day after a rotation each delivery verifies with the old secret and with the new one", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  const webhook = await withEvent(world, sink.url);
  const [before = ""] = world.state.webhooks.signingSecrets(webhook);
  const { ownerKind, ownerId, endpointUrl } = webhook;
  const owner = { kind: ownerKind, publicId: ownerId };
  const rotated = await world.state.webhooks.upsert({ owner, endpointUrl, eventTypes: null, city: null });
  const after = rotated.outcome === "rotated" ? rotated.signingSecret : "";
  await world.deliver();
  const [received] = sink.received;
  if (received === undefined) throw new Error("nothing received");
  for (const secret of [before, after])
    expect(verified(secret, received)).toMatchObject({ data: { id: "e1" } });
  const foreign = `whsec_${Buffer.alloc(32).toString("base64")}`;
  expect(() => verified(foreign, received)).toThrow("No matching signature");
  world.test.pass(DAY_MS);
  expect(world.state.webhooks.signingSecrets(await world.webhook(webhook.publicId))).toEqual([after]);
});

test("an error is tried again on the schedule, with the same id and body, until it is given up", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  sink.answer = (_, response) => response.writeHead(500).end("x".repeat(5000));
  await withEvent(world, sink.url);
  const delays: number[] = [];
  for (;;) {
    const { dead } = await world.deliver();
    if (dead > 0) break;
    const due = (await world.state.outbox.nextDueAt()) ?? 0;
    delays.push((due - world.test.time) / 1000);
    world.test.time = due;
  }
  expect(delays).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(sink.received).toHaveLength(10);
  expect(new Set(sink.received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  const [item] = await world.state.outbox.list();
  expect(item).toMatchObject({ state: "dead", lastError: "HTTP 500", tries: 10 });
  const attempts = await world.state.outbox.attempts(item?.id ?? 0);
  expect(attempts.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(500));
});

test("Retry-After is honored, up to a day", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  await withEvent(world, sink.url);
  for (const [header, seconds] of [
    ["3600", 3600],
    ["999999999", 86_400],
  ] as const) {
    sink.answer = (_, response) => response.writeHead(429, { "retry-after": header }).end();
    await world.deliver();
    const due = (await world.state.outbox.nextDueAt()) ?? 0;
    expect(due - world.test.time).toBe(seconds * 1000);
    world.test.time = due;
  }
});

test("410 disables the endpoint at once, drops what waits and tells the owner", async () => {
  await using mails = await MailSink.start();
  await using sink = await WebhookSink.start();
  await using world = await openNow(mails.url);
  const webhook = await world.endpoint(sink.url);
  sink.answer = (_, response) => response.writeHead(410).end();
  await matchRelease(
    world.state,
    fakeRelease(
      "r1",
      Array.from({ length: 300 }, (_, n) => ({ id: `e${n}` })),
    ),
  );
  await world.deliver();
  expect(await world.webhook(webhook.publicId)).toMatchObject({
    status: "disabled",
    statusReason: "it answered 410 Gone",
  });
  expect((await world.state.outbox.counts()).webhook).toMatchObject({
    waiting: 0,
    leased: 0,
    done: 0,
    dead: 300,
  });
  expect(mails.received.map(({ to }) => to)).toEqual([["partner@mail.test"]]);
  expect(mails.received[0]?.source.replaceAll("=\r\n", "")).toContain("it answered 410 Gone");
});

test("an endpoint that takes nothing for more than five days is disabled, and its owner told once", async () => {
  await using mails = await MailSink.start();
  await using sink = await WebhookSink.start();
  await using world = await openNow(mails.url);
  const webhook = await world.endpoint(sink.url);
  sink.answer = (_, response) => response.writeHead(503).end();
  for (let day = 0; day < 7; day += 1) {
    await matchRelease(world.state, fakeRelease(`r${day}`, [{ id: `e${day}` }]));
    for (let hour = 0; hour < 24; hour += 1) {
      await world.deliver();
      world.test.pass(HOUR_MS);
    }
    const { status } = await world.webhook(webhook.publicId);
    expect(status).toBe(day < 5 ? "active" : "disabled");
  }
  expect(mails.received).toHaveLength(1);
});

test("a success in between starts the count anew", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  const webhook = await withEvent(world, sink.url);
  sink.answer = (_, response) => response.writeHead(500).end();
  await world.deliver();
  expect((await world.webhook(webhook.publicId)).failures).toBe(1);
  sink.answer = (_, response) => response.writeHead(200).end();
  world.test.pass(6000);
  await world.deliver();
  expect(await world.webhook(webhook.publicId)).toMatchObject({ failures: 0, failingSince: null });
});

test("a redirect is not followed, wherever it leads", async () => {
  await using target = await WebhookSink.start();
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  sink.answer = (_, response) => response.writeHead(307, { location: target.url }).end();
  await withEvent(world, sink.url);
  expect(await world.deliver()).toEqual({ done: 0, retry: 1, dead: 0 });
  expect((await world.state.outbox.list())[0]?.lastError).toBe("HTTP 307");
  expect(target.received).toEqual([]);
});

test("a receiver that hangs is left after the time-out, and holds up nobody else", async () => {
  await using slow = await WebhookSink.start();
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  slow.answer = () => undefined;
  await world.endpoint(slow.url);
  await world.endpoint(sink.url);
  const events = Array.from({ length: 200 }, (_, n) => ({ id: `e${n}` }));
  await matchRelease(world.state, fakeRelease("r1", events));
  const started = performance.now();
  const { done, dead } = await world.deliver();
  expect([done, dead]).toEqual([200, 0]);
  expect(performance.now() - started).toBeLessThan(15_000); // 200 time-outs of 2 s are 25 s, side by side
  expect(slow.received.length).toBeLessThanOrEqual(32);
  const waiting = await world.state.outbox.list({ state: "waiting", limit: 500 });
  expect(waiting).toHaveLength(200);
  expect(waiting.filter(({ tries }) => tries > 1)).toEqual([]);
  expect(waiting.find(({ tries }) => tries === 1)?.lastError).toBe("no answer in time");
  slow.answer = (_, response) => response.end();
  world.test.pass(6000);
  expect(await world.deliver()).toEqual({ done: 200, retry: 0, dead: 0 });
  expect(new Set(slow.received.map(({ id }) => id)).size).toBe(200);
});

test("an endless answer is cut off, and its status counts", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  let written = 0;
  sink.answer = (_, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) written += 65_536;
    };
    response.on("drain", more).on("error", () => undefined);
    more();
  };
  await withEvent(world, sink.url);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
  expect(written).toBeLessThan(50_000_000);
});

test("a receiver that hangs up, or that nobody trusts, fails with a code and without a body", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tls-"));
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...args, "-keyout", join(folder, "key"), "-out", join(folder, "cert")], {
    stdio: "ignore",
  });
  const tls = {
    key: readFileSync(join(folder, "key"), "utf8"),
    cert: readFileSync(join(folder, "cert"), "utf8"),
  };
  rmSync(folder, { recursive: true });
  await using untrusted = await WebhookSink.start(tls);
  await using resets = await WebhookSink.start();
  resets.answer = (_, response) => response.destroy();
  const send = webhookSender(LOOPBACK, 2000);
  const request = {
    id: "m1",
    sentAt: 0,
    body: "{}",
    secrets: [`whsec_${Buffer.alloc(32).toString("base64")}`],
  };
  expect(await send({ ...request, url: untrusted.url })).toEqual({
    kind: "failed",
    error: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  expect(untrusted.received).toEqual([]);
  expect(await send({ ...request, url: resets.url })).toEqual({ kind: "failed", error: "UND_ERR_SOCKET" });
  const closed = await WebhookSink.start();
  const { url } = closed;
  await closed[Symbol.asyncDispose]();
  expect(await send({ ...request, url })).toEqual({ kind: "failed", error: "ECONNREFUSED" });
});

test("a name that turns to a private address between two deliveries is refused when connecting", async () => {
  const send = webhookSender({ allowLoopback: false, ports: [] }, 2000);
  const request = {
    id: "m1",
    sentAt: 0,
    body: "{}",
    secrets: [],
    url: "https://rebinding.receiver.com/hook",
  };
  const lookup = dns.lookup;
  const asked: string[] = [];
  const resolvingTo = (address: string) =>
    Object.assign(
      (name: string, options: { all?: boolean }, done: (...results: unknown[]) => void) => {
        asked.push(name);
        const family = address.includes(":") ? 6 : 4;
        if (options.all) done(null, [{ address, family }]);
        else done(null, address, family);
      },
      { __promisify__: lookup.__promisify__ },
    );
  try {
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "169.254.169.254",
      "::1",
      "::ffff:127.0.0.1",
      "100.64.0.1",
      "168.63.129.16",
      "::7f00:1",
      "fd00:ec2::254",
      "64:ff9b::7f00:1",
      "2002:7f00:1::1",
      "2001:0:7f00:1::1",
    ]) {
      Reflect.set(dns, "lookup", resolvingTo(address));
      syncBuiltinESMExports();
      expect(await send(request), address).toEqual({
        kind: "failed",
        error: "the name leads to an address that is not public",
      });
    }
  } finally {
    Reflect.set(dns, "lookup", lookup);
    syncBuiltinESMExports();
  }
  expect(asked).toHaveLength(12);
});

test("what was disabled, removed or given up meanwhile is not sent to", async () => {
  await using sink = await WebhookSink.start();
  await using world = await openNow();
  const [disabled, removed, orphan] = [
    await world.endpoint(`${sink.url}/disabled`),
    await world.endpoint(`${sink.url}/removed`),
    await world.endpoint(`${sink.url}/orphan`, {
      owner: { kind: "subscription", publicId: await world.subscribe({ channel: "webhook" }) },
      city: "alpha",
    }),
  ];
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  await world.state.webhooks.disable(disabled.publicId, "operator");
  await world.state.webhooks.remove(removed.publicId);
  await world.state.subscriptions.pause(world.state.subscriptions.linkToken("manage", orphan.ownerId));
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 3 });
  expect(sink.received).toEqual([]);
});

test("an event is smaller than 20 kB, whatever a sign says", async () => {
  await using world = await openNow();
  await world.endpoint("https://receiver.com/hook");
  const name = "\u{1F600}".repeat(60);
  await matchRelease(
    world.state,
    fakeRelease("r1", [{ id: "e1", headline: name.repeat(3), summary: name.repeat(4), recordName: name }]),
  );
  const [item] = await world.state.outbox.list();
  expect(Buffer.byteLength(item?.payload ?? "")).toBeLessThan(20_000);
});
