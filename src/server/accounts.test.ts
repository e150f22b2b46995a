/** Alerts and partner accounts over HTTP, with a state of their own on SQLite. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TestSite } from "../../tests/support/release/site.ts";
import { errorOf, ServedSite } from "../../tests/support/servers/served-site.ts";
import { MailMessage } from "../accounts/delivery/messages.ts";
import {
  AlertSubscriptionResponse,
  ConfirmedSubscription,
  ManageAction,
  ManagedSubscription,
  SubscriptionView,
} from "../contract/accounts/alerts.ts";
import {
  PartnerPortalResponse,
  WebhookDeliveries,
  WebhookList,
  WebhookResponse,
} from "../contract/accounts/partner.ts";
import { PulseResponse } from "../contract/cities/pulse.ts";
import { READS_PER_MINUTE } from "../contract/limits.ts";
import { Secret } from "../kernel/secret.ts";
import { isoTime } from "../kernel/time.ts";

const served = new ServedSite({
  config: {
    webhookRules: { allowLoopback: true, ports: [] },
    writes: { perNetwork: 1000, perHour: 5000 },
  },
});
const { lines } = served;
const call = served.call.bind(served);
const post = served.post.bind(served);
const form = served.form.bind(served);

const subscribe = (body: object) => post("/api/v1/alerts/subscribe", body);
const manage = (body: object) => post("/api/v1/alerts/manage", body);

async function subscribed(body: object) {
  return AlertSubscriptionResponse.parse(await (await subscribe(body)).json());
}

/** The token of the newest confirmation mail that waits for a subscription. */
async function mailedToken(subscription: string): Promise<string> {
  const [mail] = await served.state.outbox.list({ target: subscription, kind: "mail" });
  const message = MailMessage.parse(JSON.parse(mail?.payload ?? "{}"));
  if (message.message !== "confirmation") throw new Error("no confirmation");
  return message.token;
}

let people = 0;
const somebody = () => `reader${people++}@mail.example.org`;

async function confirmed(extra: object = {}): Promise<string> {
  const { subscription } = await subscribed({ email: somebody(), city: "toronto", ...extra });
  await form(`/alerts/confirm/?token=${await mailedToken(subscription.public_id)}`, {});
  return subscription.public_id;
}

describe("asking for alerts", () => {
  test("201 for a new request, 200 for the same again, and a mail each", async () => {
    const email = somebody();
    const first = await subscribe({ email, city: "toronto" });
    expect(first.status).toBe(201);
    expect(first.headers.get("cache-control")).toBe("no-store");
    const body = AlertSubscriptionResponse.parse(await first.json());
    expect(body).toMatchObject({
      schema: "com.service.alert_subscription.v1",
      ok: true,
      subscription: {
        status: "pending",
        created: true,
        channel: "email",
        scope: { city: "toronto", entity_public_id: null, industry_code: null },
        min_confidence: 0.6,
      },
      delivery: { status: "verification_pending" },
    });
    const again = await subscribe({ email: email.toUpperCase(), city: "toronto" });
    expect(again.status).toBe(200);
    const second = AlertSubscriptionResponse.parse(await again.json());
    expect(second.subscription).toEqual({ ...body.subscription, created: false });
    expect(await served.state.outbox.list({ target: body.subscription.public_id })).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain(email);
  });

  test("the preview is what the feed has, and narrows with the request", async () => {
    const feed = PulseResponse.parse(await (await call("/api/v1/pulse/toronto")).json());
    expect(feed.events.length).toBeGreaterThan(0);
    const all = await subscribed({ email: somebody(), city: "toronto", min_confidence: 0 });
    expect(all.preview.matched_events).toBe(feed.summary.total_events);
    expect(all.preview.latest_events).toEqual(feed.events.slice(0, 5));
    expect(all.delivery.queued_events).toBe(all.preview.matched_events);
    const [event] = feed.events;
    const record = event?.entity_public_id ?? "";
    const one = await subscribed({
      email: somebody(),
      city: "toronto",
      entity_public_id: record,
      min_confidence: 0,
    });
    expect(one.preview.matched_events).toBe(
      feed.events.filter(({ entity_public_id }) => entity_public_id === record).length,
    );
    const none = await subscribed({
      email: somebody(),
      city: "toronto",
      event_types: ["digital_gap_detected"],
    });
    expect(none.preview).toEqual({ matched_events: 0, latest_events: [] });
  });

  test("a dashboard subscription waits for the portal, and no mail is sent", async () => {
    const { subscription, delivery } = await subscribed({
      email: somebody(),
      city: "toronto",
      channel: "dashboard",
    });
    expect(delivery.status).toBe("partner_portal_pending");
    expect(await served.state.outbox.list({ target: subscription.public_id })).toEqual([]);
  });

  test.each([
    [{}, "email is required"],
    [{ email: "a@b.example.org" }, "city is required"],
    [{ email: "a@b.example.org, c@d.example.org", city: "toronto" }, "email must be a single email address"],
    [
      { email: "a@b.example.org>, evil@z.example.org", city: "toronto" },
      "email must be a single email address",
    ],
    [
      { email: "a@b.example.org\r\nBcc: c@d.example.org", city: "toronto" },
      "email must be a single email address",
    ],
    [{ email: `${"a".repeat(65)}@b.example.org`, city: "toronto" }, "email must be at most 64"],
    [{ email: `a@${"b".repeat(250)}.example.org`, city: "toronto" }, "email must be at most 254"],
    [{ email: "a@b.example.org", city: "toronto", channel: "sms" }, "channel must be one of email"],
    [
      { email: "a@b.example.org", city: "toronto", event_types: ["closed"] },
      "event_types must be one or more of",
    ],
    [{ email: "a@b.example.org", city: "toronto", event_types: [] }, "event_types must contain at least one"],
    [{ email: "a@b.example.org", city: "toronto", min_confidence: 1.1 }, "min_confidence must be a number"],
    [{ email: "a@b.example.org", city: "toronto", min_confidence: "0.5" }, "min_confidence must be a number"],
    [{ email: "a@b.example.org", city: "toronto", industry_code: "99999" }, "industry_code must be an ISIC"],
    [{ email: "a@b.example.org", city: "toronto", colour: "red" }, "unknown field: colour"],
    [{ email: "a@b.example.org", city: "toronto", channel: "webhook" }, "webhook_url is required"],
    [
      { email: "a@b.example.org", city: "toronto", webhook_url: "https://a.org/" },
      "webhook_url is valid only with channel",
    ],
  ])("%j is a 400 that names the field", async (body, reason) => {
    const answer = await subscribe(body);
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toContain(reason);
  });

  test.each([
    "http://hooks.example.org/x",
    "https://user:pw@hooks.example.com/x",
    "https://10.0.0.1/",
    "https://[fd00::1]/",
    "https://167772161/",
    "https://intranet/",
    "https://hooks.internal/",
    "ftp://hooks.example.com/",
    "nonsense",
  ])("a webhook may not lead to %s", async (webhook_url) => {
    const answer = await subscribe({ email: somebody(), city: "toronto", channel: "webhook", webhook_url });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatch(/^webhook_url must /);
  });

  test("an unknown city, an unknown record, and a record of another city are a 404", async () => {
    const email = somebody();
    const { events } = PulseResponse.parse(await (await call("/api/v1/pulse/toronto")).json());
    expect(await errorOf(await subscribe({ email, city: "nowhere" }))).toContain("does not cover this city");
    for (const body of [
      { email, city: "toronto", entity_public_id: "pr_none" },
      { email, city: "nowhere", entity_public_id: events[0]?.entity_public_id },
    ])
      expect((await subscribe(body)).status).toBe(404);
  });

  test("bodies: JSON only, 32 kB at most, an object", async () => {
    expect((await call("/api/v1/alerts/subscribe", { method: "POST", body: "email=x" })).status).toBe(415);
    expect((await post("/api/v1/alerts/subscribe", `"${"x".repeat(33_000)}"`)).status).toBe(413);
    for (const body of ["", "{", "[]", "null", '"text"', '{"__proto__":1}'])
      expect((await post("/api/v1/alerts/subscribe", body)).status).toBe(400);
    const wrongMethod = await call("/api/v1/alerts/subscribe");
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect((await call("/api/v1/alerts/subscribe", { method: "OPTIONS" })).status).toBe(204);
    expect((await call("/api/v1/alerts/nothing")).status).toBe(404);
  });

  test("no body breaks it", async () => {
    const field = fc.constantFrom(
      "email",
      "city",
      "channel",
      "event_types",
      "min_confidence",
      "webhook_url",
      "__proto__",
    );
    const hostile = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue()), fc.string());
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        const answer = await post(
          "/api/v1/alerts/subscribe",
          typeof value === "string" ? value : JSON.stringify(value),
        );
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });

  test("ten an hour from one network address; five emails a day to one mailbox, which answers do not tell", async () => {
    const from = { "X-Forwarded-For": "192.0.2.77" };
    const statuses: number[] = [];
    for (let turn = 0; turn < 11; turn += 1)
      statuses.push(
        (await post("/api/v1/alerts/subscribe", { email: somebody(), city: "toronto" }, from)).status,
      );
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
    const refused = await post("/api/v1/alerts/subscribe", { email: somebody(), city: "toronto" }, from);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3000);
    const email = somebody();
    const turns = [];
    for (let turn = 0; turn < 8; turn += 1) turns.push(await subscribe({ email, city: "toronto" }));
    expect(turns.map(({ status }) => status)).toEqual([201, ...Array(7).fill(200)]);
    const bodies = await Promise.all(turns.slice(1).map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    const mails = await served.state.outbox.list({ kind: "mail", limit: 1000 });
    expect(mails.filter(({ payload }) => payload.includes(email))).toHaveLength(5);
  });
});

describe("the links of mails", () => {
  test("confirm, look, pause, resume, end; each once more is no harm", async () => {
    const email = somebody();
    const { subscription } = await subscribed({ email, city: "toronto", min_confidence: 0 });
    const id = subscription.public_id;
    const token = await mailedToken(id);
    const pending = await call(`/api/v1/alerts/confirm?token=${token}`);
    expect(SubscriptionView.parse(await pending.json()).subscription).toMatchObject({ status: "pending" });
    expect((await served.state.subscriptions.get(id))?.status).toBeUndefined(); // looking confirms nothing
    const done = await form(`/alerts/confirm/?token=${token}`, {});
    expect([done.status, done.headers.get("location")]).toEqual([303, "/alerts/confirmed/"]);
    expect((await served.state.subscriptions.get(id))?.status).toBe("active");
    const [first] = await served.state.outbox.list({ target: id, kind: "mail" });
    expect(JSON.parse(first?.payload ?? "{}")).toMatchObject({ message: "digest", city: "toronto" });
    const again = await form(`/alerts/confirm/?token=${token}`, {});
    expect([again.status, again.headers.get("location")]).toEqual([303, "/alerts/confirmed/"]);
    const manage = served.state.subscriptions.linkToken("manage", id);
    const chosen = { action: "change", event_types: "stale_asset", min_confidence: "0.75" };
    const changed = await form(`/alerts/manage/?token=${manage}`, chosen);
    expect([changed.status, changed.headers.get("location")]).toEqual([303, "/alerts/changed/"]);
    expect(await served.state.subscriptions.get(id)).toMatchObject({
      eventTypes: ["stale_asset"],
      minConfidence: 0.75,
    });
    for (const [action, page, status] of [
      ["pause", "/alerts/paused/", "paused"],
      ["pause", "/alerts/paused/", "paused"],
      ["resume", "/alerts/resumed/", "active"],
      ["unsubscribe", "/alerts/ended/", "unsubscribed"],
    ] as const) {
      const answer = await form(`/alerts/manage/?token=${manage}`, { action });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, page]);
      const view = await call(`/api/v1/alerts/manage?token=${manage}`);
      const text = await view.text();
      expect(text).not.toContain(email);
      expect(SubscriptionView.parse(JSON.parse(text)).subscription.status).toBe(status);
    }
    expect((await served.state.subscriptions.get(id))?.email).toBeNull();
  });

  test("one click ends it at once, from anywhere, in both forms of a body; a GET does not", async () => {
    for (const body of [new URLSearchParams({ "List-Unsubscribe": "One-Click" }), oneClickForm()]) {
      const id = await confirmed();
      const path = `/alerts/unsubscribe/?token=${served.state.subscriptions.linkToken("unsubscribe", id)}`;
      await call(path);
      expect((await served.state.subscriptions.get(id))?.status).toBe("active");
      const headers = { Origin: "https://mail.example", "Sec-Fetch-Site": "cross-site" };
      const answer = await call(path, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
      expect((await served.state.subscriptions.get(id))?.status).toBe("unsubscribed");
    }
  });

  test("JSON that a page of another site sent is refused and stores nothing; a program's is taken", async () => {
    const body = { email: somebody(), city: "toronto" };
    const before = (await served.state.outbox.list({ limit: 1000 })).length;
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
    ]) {
      const refused = await post("/api/v1/alerts/subscribe", body, headers);
      expect([refused.status, await errorOf(refused)]).toEqual([
        403,
        expect.stringContaining("another site"),
      ]);
    }
    expect((await served.state.outbox.list({ limit: 1000 })).length).toBe(before);
    for (const headers of [{}, { "Sec-Fetch-Site": "same-origin" }, { Origin: "https://example.org" }])
      expect((await post("/api/v1/alerts/subscribe", body, headers)).ok).toBe(true);
    const preflight = await call("/api/v1/alerts/subscribe", {
      method: "OPTIONS",
      headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" },
    });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a form that another site sent is refused", async () => {
    const id = await confirmed();
    const path = `/alerts/manage/?token=${served.state.subscriptions.linkToken("manage", id)}`;
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
    ])
      expect((await form(path, { action: "unsubscribe" }, headers)).status).toBe(403);
    expect((await served.state.subscriptions.get(id))?.status).toBe("active");
    for (const headers of [{ "Sec-Fetch-Site": "same-origin" }, { Origin: "https://example.org" }])
      expect((await form(path, { action: "pause" }, headers)).status).toBe(303);
  });

  test("tokens that are not good, and those of the other link, do nothing", async () => {
    const id = await confirmed();
    const unsubscribeToken = served.state.subscriptions.linkToken("unsubscribe", id);
    for (const token of ["", "x", `${id}.`, unsubscribeToken, `${unsubscribeToken}a`, "%00", "é"]) {
      const path = `/alerts/manage/?token=${encodeURIComponent(token)}`;
      const answer = await form(path, { action: "pause" });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/alerts/expired/"]);
      const asJson = await form(path, { action: "pause" }, { Accept: "application/json" });
      expect(asJson.status).toBe(404);
    }
    expect((await served.state.subscriptions.get(id))?.status).toBe("active");
    expect((await call("/api/v1/alerts/manage")).status).toBe(400);
    expect((await call("/api/v1/alerts/manage?token=x")).status).toBe(404);
    expect((await call("/api/v1/alerts/manage?token=x&colour=red")).status).toBe(400);
    expect((await form("/alerts/manage/?token=x", { action: "delete" })).status).toBe(400);
  });

  test("a confirmed webhook gets its secret once and a challenge, and the subscription's end removes it", async () => {
    const webhook_url = "http://127.0.0.1:9/hook";
    const { subscription } = await subscribed({
      email: somebody(),
      city: "toronto",
      channel: "webhook",
      webhook_url,
    });
    const path = `/alerts/confirm/?token=${await mailedToken(subscription.public_id)}`;
    const answer = await form(path, {});
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await answer.text();
    expect(text).toMatch(/^whsec_[\w+/=]{32,}$/m);
    const manage = served.state.subscriptions.linkToken("manage", subscription.public_id);
    expect(text).toContain(`/alerts/manage/?token=${manage}\n`);
    const [endpoint] = await served.state.webhooks.of({
      kind: "subscription",
      publicId: subscription.public_id,
    });
    expect(endpoint).toMatchObject({ endpointUrl: webhook_url, status: "pending", city: "toronto" });
    expect(
      await served.state.outbox.list({ target: endpoint?.publicId ?? "", kind: "webhook" }),
    ).toHaveLength(1);
    await form(`/alerts/unsubscribe/?token=${manage}`, {});
    expect(
      await served.state.webhooks.of({ kind: "subscription", publicId: subscription.public_id }),
    ).toEqual([]);
  });

  test("a program confirms and ends a webhook subscription with what it was given", async () => {
    const webhook_url = "http://127.0.0.1:9/program";
    const asked = { email: somebody(), city: "toronto", channel: "webhook", webhook_url };
    const { subscription } = await subscribed(asked);
    const owner = { kind: "subscription", publicId: subscription.public_id } as const;
    const token = await mailedToken(subscription.public_id);
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      await call(`/api/v1/alerts/confirm?token=${token}`, { method });
      expect(await served.state.subscriptions.get(subscription.public_id)).toBeUndefined();
    }
    const twice = await Promise.all([1, 2].map(() => post("/api/v1/alerts/confirm", { token })));
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    const answers = await Promise.all(
      twice.map(async (each) => ConfirmedSubscription.parse(await each.json())),
    );
    const [first, ...others] = answers.filter((each) => each.manage_token !== null);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ subscription: { status: "active", webhook_url } });
    expect(first?.signing_secret).toMatch(/^whsec_[\w+/=]{32,}$/);
    const again = ConfirmedSubscription.parse(await (await post("/api/v1/alerts/confirm", { token })).json());
    expect(again).toEqual({ ...first, manage_token: null, signing_secret: null });
    const [endpoint, ...more] = await served.state.webhooks.of(owner);
    expect(more).toEqual([]);
    const challenges = () => served.state.outbox.list({ target: endpoint?.publicId ?? "", kind: "webhook" });
    expect(await challenges()).toHaveLength(1);

    const owned = { token: first?.manage_token ?? "" };
    const changed = await manage({ ...owned, action: "change", event_types: ["stale_asset"] });
    expect(ManagedSubscription.parse(await changed.json()).subscription?.event_types).toEqual([
      "stale_asset",
    ]);
    expect((await served.state.webhooks.of(owner))[0]?.eventTypes).toEqual(["stale_asset"]);
    await call(`/api/v1/alerts/manage?token=${owned.token}&action=unsubscribe`);
    for (const [action, status] of [
      ["pause", "paused"],
      ["pause", "paused"],
      ["resume", "active"],
      ["unsubscribe", "unsubscribed"],
      ["unsubscribe", "unsubscribed"],
      ["resume", "unsubscribed"],
    ] as const) {
      const answer = await manage({ ...owned, action });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(ManagedSubscription.parse(await answer.json()).subscription?.status).toBe(status);
    }
    expect(await served.state.webhooks.of(owner)).toEqual([]);
    expect((await served.state.subscriptions.get(subscription.public_id))?.email).toBeNull();
    const late = await post("/api/v1/alerts/confirm", { token });
    expect([late.status, await errorOf(late)]).toEqual([404, "the link has already been used"]);
  });

  test("JSON with a token that is not good tells nothing and does nothing", async () => {
    const id = await confirmed();
    const oneClick = served.state.subscriptions.linkToken("unsubscribe", id);
    const never = served.state.subscriptions.neverToken("a@b.example");
    const [, mac = ""] = oneClick.split(".");
    const forged = `${id}.${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`;
    const unknown = `sub_none.${"A".repeat(43)}`;
    const bad = ["x", id, `${id}.`, forged, `${oneClick}a`, never, "\u0000", "é", "%00", unknown];
    const tries = bad.flatMap((token) => [
      post("/api/v1/alerts/confirm", { token }),
      ...ManageAction.options.map((action) =>
        manage({ token, action, ...(action === "change" && { min_confidence: 0.75 }) }),
      ),
    ]);
    const powerless = ["pause", "resume"].map((action) => manage({ token: oneClick, action }));
    const refusals = new Set<string>();
    for (const answer of await Promise.all([...tries, ...powerless])) refusals.add(await answer.text());
    expect([...refusals]).toEqual([expect.stringContaining('"reason":"unknown"')]);
    expect((await served.state.subscriptions.get(id))?.status).toBe("active");
    const ended = await manage({ token: oneClick, action: "unsubscribe" });
    expect(ManagedSubscription.parse(await ended.json()).subscription?.status).toBe("unsubscribed");
  });

  test.each([
    [{}, "token is required"],
    [{ token: 7 }, "token must be a string"],
    [{ token: "x".repeat(300) }, "token must be at most"],
    [{ token: "" }, "token must not be blank"],
    [{ token: "x", action: "end" }, "action must be one of pause, resume, change, unsubscribe"],
    [{ token: "x", action: "change" }, "action change needs event_types or min_confidence"],
    [{ token: "x", min_confidence: 0.7 }, "action must be change where"],
    [{ token: "x", action: "change", min_confidence: 2 }, "min_confidence must be a number between 0 and 1"],
    [{ token: "x", email: "a@b.example" }, "unknown field: email"],
  ])("a management request of %j is a 400 that names the field", async (body, reason) => {
    const answer = await manage({ action: "pause", ...body });
    expect([answer.status, await errorOf(answer)]).toEqual([400, expect.stringContaining(reason)]);
  });

  test("a token counts in the body alone, as JSON, and from no page of another site", async () => {
    const { subscription } = await subscribed({ email: somebody(), city: "toronto" });
    const confirmation = { token: await mailedToken(subscription.public_id) };
    const id = await confirmed();
    const end = { token: served.state.subscriptions.linkToken("manage", id), action: "unsubscribe" };
    for (const [path, body] of [
      ["/api/v1/alerts/confirm", confirmation],
      ["/api/v1/alerts/manage", end],
    ] as const) {
      const inAddress = await post(`${path}?token=${body.token}`, body);
      expect([inAddress.status, await errorOf(inAddress)]).toEqual([400, "unknown parameter: token"]);
      for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }])
        expect((await post(path, body, headers)).status).toBe(403);
      expect((await form(path, body)).status).toBe(415);
      const preflight = await call(path, { method: "OPTIONS", headers: { Origin: "https://evil.example" } });
      expect(preflight.headers.get("allow")).toBe("GET, POST, OPTIONS");
      expect(preflight.headers.get("access-control-allow-methods")).toBeNull();
    }
    expect((await served.state.subscriptions.get(id))?.status).toBe("active");
    expect(await served.state.subscriptions.get(subscription.public_id)).toBeUndefined();
  });

  test("trying tokens uses up the allowance of the address", async () => {
    const from = { "X-Forwarded-For": "192.0.2.101" };
    const statuses = new Set<number>();
    for (let turn = 0; turn <= READS_PER_MINUTE; turn += 1)
      statuses.add((await post("/api/v1/alerts/confirm", { token: `guess-${turn}` }, from)).status);
    expect([...statuses]).toEqual([404, 429]);
  });

  test("the form without JavaScript: a page, or what is wrong in words", async () => {
    const answer = await form("/alerts/", {
      email: somebody(),
      city: "toronto",
      min_confidence: "0.6",
      webhook_url: "",
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/alerts/email-in-a-file/"]);
    const wrong = await form("/alerts/", { email: "x", city: "toronto" }, { Accept: "text/html" });
    expect(wrong.status).toBe(400);
    expect(wrong.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await wrong.text()).toContain("Email address must be a single email address");
    expect((await post("/alerts/", { email: somebody(), city: "toronto" })).status).toBe(415);
  });
});

function oneClickForm(): FormData {
  const body = new FormData();
  body.set("List-Unsubscribe", "One-Click");
  return body;
}

test("an international domain is taken in every spelling, and is one address for limits and refusals", async () => {
  const spellings = ["reader@Bücher.example", "reader@bücher.EXAMPLE", "reader@xn--bcher-kva.example"];
  const bodies = spellings.map((email) => ({ email, city: "toronto" }));
  const answers = [
    ...bodies.map(subscribe),
    form("/alerts/", { email: "reader@bücher.example", city: "toronto" }),
  ];
  const statuses = [];
  for (const answer of answers) statuses.push((await answer).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  expect(statuses.toSorted()).toEqual([200, 200, 201, 303]);
  const mails = await served.state.outbox.list({ kind: "mail", limit: 1000 });
  const addressed = mails.filter(({ payload }) => payload.includes("xn--bcher-kva"));
  expect(addressed.length).toBeGreaterThan(0);
  expect(mails.some(({ payload }) => /b(ü|\\u00fc)cher/i.test(payload))).toBe(false);
  await served.state.subscriptions.suppress("Reader+news@BÜCHER.example", "operator");
  expect(await served.state.subscriptions.isSuppressed("reader@xn--bcher-kva.example")).toBe(true);
});

describe("partners", () => {
  let names = 0;
  async function partner(options: { daily?: number; portalAccess?: boolean } = {}) {
    const client = await served.state.partners.createClient({
      name: `Partner ${names++}`,
      contactEmail: null,
      portalAccess: options.portalAccess ?? true,
      dailyQuota: options.daily ?? 1000,
      monthlyQuota: 2000,
    });
    const { key, secret } = await served.state.partners.issueKey(client.publicId);
    const bearer = { Authorization: `Bearer ${secret}` };
    return { client, key, secret, bearer };
  }
  const webhooksPath = "/api/v1/partner/webhooks";

  test("the portal shows the client, and nobody's whole key", async () => {
    const { client, secret, bearer } = await partner();
    await call("/api/v1/search?name=alpha", { headers: bearer });
    const answer = await call("/api/v1/partner/portal", { headers: bearer });
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const text = await answer.text();
    expect(text).not.toContain(secret);
    const portal = PartnerPortalResponse.parse(JSON.parse(text));
    expect(portal).toMatchObject({
      schema: "com.service.partner_portal.v1",
      client: { public_id: client.publicId, status: "active" },
      quota: { daily: 1000, monthly: 2000, used_today: 1, used_this_month: 1, daily_remaining: 999 },
      webhooks: { limit: 10, count: 0 },
    });
    expect(portal.api_keys.map(({ prefix }) => secret.startsWith(prefix))).toEqual([true]);
  });

  test("401 without a key and with one that is not good, 403 for a disabled client and without access", async () => {
    const { client, key, secret, bearer } = await partner();
    const path = "/api/v1/partner/portal";
    const missing = await call(path);
    expect([missing.status, missing.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="presence"',
    ]);
    for (const Authorization of [
      "Bearer x",
      "Bearer",
      `bearer ${secret.slice(0, -1)}${secret.endsWith("0") ? 1 : 0}`,
      `Bearer ppes_live_${"0".repeat(36)}`,
    ]) {
      const wrong = await call(path, { headers: { Authorization } });
      expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
        401,
        'Bearer realm="presence", error="invalid_token"',
      ]);
    }
    const other = await call(path, { headers: { Authorization: "Basic eDp5" } });
    expect(other.headers.get("www-authenticate")).toBe('Bearer realm="presence"');
    await served.state.partners.updateClient(client.publicId, { status: "disabled" });
    expect((await call(path, { headers: bearer })).status).toBe(403);
    await served.state.partners.updateClient(client.publicId, { status: "active", portalAccess: false });
    expect((await call(path, { headers: bearer })).status).toBe(403);
    expect((await call(webhooksPath, { headers: bearer })).status).toBe(200); // webhooks need no portal
    await served.state.partners.revokeKey(key.publicId);
    expect((await call(path, { headers: bearer })).status).toBe(401);
  });

  test("with a key, reads and MCP count against the quotas and not the address; a bad key there is a 401", async () => {
    const { bearer } = await partner({ daily: 6 });
    const read = (headers: Record<string, string>) => call("/api/v1/search?name=alpha", { headers });
    const first = await read(bearer);
    expect([first.status, first.headers.get("ratelimit")?.split(";t=")[0]]).toEqual([200, '"daily";r=5']);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const batch = await post("/mcp", [message, { ...message, id: 2 }], bearer);
    expect([batch.status, batch.headers.get("ratelimit")?.split(";t=")[0]]).toEqual([200, '"daily";r=3']);
    for (let turn = 0; turn < 3; turn += 1) expect((await read(bearer)).status).toBe(200);
    for (const answer of [
      await read({ Authorization: "Bearer x" }),
      await post("/mcp", message, { Authorization: "Bearer x" }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toContain("invalid_token");
    }
    expect((await read({})).status).toBe(200);
  });

  test("beyond its quota a key has what a stranger has, and its portal and webhooks cost nothing", async () => {
    const { bearer } = await partner({ daily: 2 });
    const from = { ...bearer, "X-Forwarded-For": "192.0.2.98" };
    const read = () => call("/api/v1/search?name=alpha", { headers: from });
    const manage = () =>
      Promise.all(
        ["/api/v1/partner/portal", webhooksPath].map(
          async (path) => (await call(path, { headers: from })).status,
        ),
      );
    expect(await manage()).toEqual([200, 200]);
    const policies = [await read(), await read(), await read()].map(({ status, headers }) => [
      status,
      headers.get("ratelimit-policy")?.match(/"\w+"/g),
    ]);
    const quotas = ['"daily"', '"monthly"'];
    expect(policies).toEqual([
      [200, quotas],
      [200, quotas],
      [200, [...quotas, '"reads"']],
    ]);
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const tool = await post("/mcp", message, from);
    expect([tool.status, tool.headers.get("ratelimit-policy")]).toEqual([
      200,
      expect.stringContaining('"mcp";q=60;w=60'),
    ]);
    let last = await read();
    for (let turn = 0; turn < READS_PER_MINUTE && last.status === 200; turn += 1) last = await read();
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(await manage()).toEqual([200, 200]);
    const { usage, quota } = PartnerPortalResponse.parse(
      await (await call("/api/v1/partner/portal", { headers: from })).json(),
    );
    expect([quota.used_today, quota.daily_remaining]).toEqual([2, 0]);
    expect(usage.requests_7d).toBeLessThanOrEqual(2);
  });

  test("trying keys uses up the allowance of the address", async () => {
    const headers = { Authorization: "Bearer x", "X-Forwarded-For": "192.0.2.99" };
    const statuses = new Set<number>();
    for (let turn = 0; turn < 301; turn += 1)
      statuses.add((await call("/api/v1/partner/portal", { headers })).status);
    expect([...statuses]).toEqual([401, 429]);
  });

  test("webhooks: created, rotated, listed, tested, removed, ten at most", async () => {
    const { bearer } = await partner();
    const body = {
      endpoint_url: "https://hooks.example.com/a",
      event_types: ["stale_asset"],
      city: "toronto",
    };
    const made = await post(webhooksPath, body, bearer);
    expect(made.status).toBe(201);
    const first = WebhookResponse.parse(await made.json());
    expect(first.webhook).toMatchObject({ endpoint_url: body.endpoint_url, status: "pending" });
    expect(first.signing_secret).toMatch(/^whsec_/);
    const rotated = await post(webhooksPath, { endpoint_url: body.endpoint_url }, bearer);
    expect(rotated.status).toBe(200);
    const second = WebhookResponse.parse(await rotated.json());
    expect(second.webhook.public_id).toBe(first.webhook.public_id);
    expect(second.signing_secret).not.toBe(first.signing_secret);
    for (let at = 1; at < 10; at += 1)
      expect(
        (await post(webhooksPath, { endpoint_url: `https://hooks.example.com/${at}` }, bearer)).status,
      ).toBe(201);
    const beyond = await post(webhooksPath, { endpoint_url: "https://hooks.example.com/b" }, bearer);
    expect(beyond.status).toBe(409);
    const listed = WebhookList.parse(await (await call(webhooksPath, { headers: bearer })).json());
    expect(listed.webhooks).toHaveLength(10);
    expect(JSON.stringify(listed)).not.toContain("whsec_");

    const path = `${webhooksPath}/${first.webhook.public_id}`;
    expect((await post(`${path}/test`, "", bearer)).status).toBe(409); // not verified
    expect((await post(`${path}/verify`, "", bearer)).status).toBe(202);
    const claimed = await served.state.outbox.claim(100, 1, "webhook");
    const waiting = claimed.findLast(({ target }) => target === first.webhook.public_id);
    const failed = { attemptedAt: 0, durationMs: 1, statusCode: 401, error: "HTTP 401" };
    const later = Date.now() + 3_600_000;
    if (waiting !== undefined)
      await served.state.outbox.settle([{ delivery: waiting, result: "retry", retryAt: later, ...failed }]);
    const nextAttempt = async () => {
      const answer = await call(`${path}/deliveries`, { headers: bearer });
      return WebhookDeliveries.parse(await answer.json()).deliveries[0]?.next_attempt_at;
    };
    expect(await nextAttempt()).toBe(isoTime(later));
    expect((await post(`${path}/verify`, "", bearer)).status).toBe(202);
    expect(Date.parse((await nextAttempt()) ?? "")).toBeLessThanOrEqual(Date.now());
    const challenge = await served.state.webhooks.startChallenge(first.webhook.public_id);
    await served.state.webhooks.answerChallenge(first.webhook.public_id, challenge ?? "");
    expect((await post(`${path}/verify`, "", bearer)).status).toBe(409);
    expect((await post(`${path}/test`, "", bearer)).status).toBe(202);
    const deliveries = WebhookDeliveries.parse(
      await (await call(`${path}/deliveries`, { headers: bearer })).json(),
    );
    const newest = deliveries.deliveries[0];
    expect(newest).toMatchObject({ state: "waiting", attempts: [] });
    expect((await post(`${path}/deliveries/${newest?.id}/replay`, "", bearer)).status).toBe(409); // it still waits
    await served.state.outbox.cancel(first.webhook.public_id, "test");
    const replayed = await post(`${path}/deliveries/${newest?.id}/replay`, "", bearer);
    expect([202, 409]).toContain(replayed.status); // what was cancelled may have lost its content
    expect((await post(`${path}/deliveries/999999/replay`, "", bearer)).status).toBe(404);

    const stranger = await partner();
    for (const [method, rest] of [
      ["DELETE", ""],
      ["POST", "/test"],
      ["POST", "/verify"],
      ["GET", "/deliveries"],
    ] as const)
      expect((await call(path + rest, { method, headers: stranger.bearer })).status).toBe(404);
    expect((await call(path, { method: "DELETE", headers: bearer })).status).toBe(200);
    expect((await call(path, { method: "DELETE", headers: bearer })).status).toBe(404);
  });

  test("a webhook's fields are checked", async () => {
    const { bearer } = await partner();
    for (const [body, status, reason] of [
      [{}, 400, "endpoint_url is required"],
      [{ endpoint_url: "https://10.0.0.1/" }, 400, "endpoint_url must"],
      [
        { endpoint_url: "https://hooks.example.com/", event_types: ["x"] },
        400,
        "event_types must be one or more of",
      ],
      [{ endpoint_url: "https://hooks.example.com/", city: "nowhere" }, 404, "does not cover this city"],
      [{ endpoint_url: "https://hooks.example.com/", secret: "x" }, 400, "unknown field: secret"],
    ] as const) {
      const answer = await post(webhooksPath, body, bearer);
      expect(answer.status).toBe(status);
      expect(await errorOf(answer)).toContain(reason);
    }
    expect((await post(webhooksPath, { endpoint_url: "https://hooks.example.com/" })).status).toBe(401);
  });
});

test("no form and no webhook body breaks it", async () => {
  const { publicId } = await served.state.partners.createClient({
    name: "Fuzzer",
    contactEmail: null,
    portalAccess: true,
    dailyQuota: 10_000,
    monthlyQuota: 10_000,
  });
  const bearer = { Authorization: `Bearer ${(await served.state.partners.issueKey(publicId)).secret}` };
  const path = fc.constantFrom("/alerts/", "/alerts/confirm/", "/alerts/manage/", "/alerts/unsubscribe/");
  const name = fc.oneof(
    fc.constantFrom("email", "city", "action", "min_confidence", "event_types"),
    fc.string(),
  );
  const fields = fc.dictionary(name, fc.string());
  const crowd = fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), fc.nat(3000));
  const webhook = fc.dictionary(fc.constantFrom("endpoint_url", "event_types", "city"), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(
      path,
      fields,
      crowd,
      fc.string(),
      webhook,
      async (page, given, [unit, times], token, body) => {
        const address = `${page}?token=${encodeURIComponent(token.toWellFormed())}`;
        expect((await form(address, given)).status).toBeLessThan(500);
        const crowded = await form(address, `${unit}&`.repeat(times));
        expect(crowded.status).toBeLessThan(500);
        const hook = await post("/api/v1/partner/webhooks", body, bearer);
        expect(hook.status).toBeGreaterThanOrEqual(400);
        expect(hook.status).toBeLessThan(500);
      },
    ),
    { numRuns: 100 },
  );
});

test("nothing private is in the log", () => {
  const text = lines.join("\n");
  expect(text).toContain("listening");
  expect(text).not.toMatch(/@mail\.|ppes_live_|whsec_|token=|reader\d/);
  expect(text).not.toContain("account_request_failed");
});

test("without a state reads go on, with keys as well, and accounts are a 503 until it comes", async () => {
  using lonely = new TestSite();
  lonely.publish();
  const without = await lonely.serve({ stateUrl: new Secret("postgres://nobody@127.0.0.1:1/none") });
  const status = async (path: string, headers = {}) => (await fetch(without.url + path, { headers })).status;
  await expect.poll(() => status("/api/v1/search?name=alpha"), { timeout: 60_000 }).toBe(200); // its thread loads
  expect(await status("/api/v1/search?name=alpha", { Authorization: "Bearer x" })).toBe(200);
  expect(await status("/api/v1/partner/portal", { Authorization: "Bearer x" })).toBe(503);
  expect(await status("/api/v1/partner/portal")).toBe(503);
  expect(await status("/api/v1/alerts/manage?token=x")).toBe(503);
  expect(await status("/readyz")).toBe(200);
  await without.stop();
});
