import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { describeOnBoth, sharedState, TestState, WISH } from "../../../tests/support/state/stores.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import type { SubscriptionWish } from "./subscription-requests.ts";
import type { Subscriptions } from "./subscriptions.ts";

let people = 0;
function wish(changes: Partial<SubscriptionWish> = {}): SubscriptionWish {
  people += 1;
  return { ...WISH, email: `Person${people}@mail.test`, ...changes };
}

async function tokenFor(subscriptions: Subscriptions, asked: SubscriptionWish): Promise<string> {
  return (await subscriptions.request(asked)).token;
}

async function confirmed(subscriptions: Subscriptions, asked: SubscriptionWish) {
  const confirmation = await subscriptions.confirm(await tokenFor(subscriptions, asked));
  if (confirmation.outcome !== "confirmed") throw new Error(confirmation.outcome);
  return confirmation.subscription;
}

describeOnBoth("subscriptions", (engine) => {
  const shared = sharedState(engine);

  test("from request to confirmation", async () => {
    const { subscriptions } = shared.test.state;
    const asked = wish({ eventTypes: ["stale_asset", "new_public_record"], entityPublicId: "demo_1" });
    const { publicId, created, token } = await subscriptions.request(asked);
    expect(created).toBe(true);
    expect(Buffer.from(token, "base64url").length).toBe(32);
    const pending = {
      ...asked,
      publicId,
      status: "pending",
      eventTypes: ["new_public_record", "stale_asset"],
    };
    expect(await subscriptions.byConfirmationToken(token)).toMatchObject({
      outcome: "pending",
      subscription: pending,
    });
    expect(await subscriptions.byConfirmationToken(token)).toMatchObject({ outcome: "pending" });
    expect(await subscriptions.get(publicId)).toBeUndefined();
    expect(await subscriptions.confirm(token)).toMatchObject({
      outcome: "confirmed",
      subscription: { ...pending, status: "active", confirmedAt: shared.test.time },
    });
    const standing = await subscriptions.get(publicId);
    expect(await subscriptions.active()).toContainEqual(standing);
    expect(await subscriptions.byConfirmationToken(token)).toEqual({ outcome: "used" });
    shared.test.pass(HOUR_MS);
    expect(await subscriptions.confirm(token)).toEqual({
      outcome: "confirmed_before",
      subscription: standing,
    });
    await subscriptions.unsubscribe(subscriptions.linkToken("manage", publicId));
    expect(await subscriptions.confirm(token)).toEqual({ outcome: "used" }); // it brings nobody back
  });

  test("of two confirmations at once one is the first", async () => {
    const { subscriptions } = shared.test.state;
    const token = await tokenFor(subscriptions, wish({ webhookUrl: "https://hooks.example.org/" }));
    const both = await Promise.all([subscriptions.confirm(token), subscriptions.confirm(token)]);
    expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(["confirmed", "confirmed_before"]);
  });

  test("a token ends after 48 hours, and no other text is one", async () => {
    const { subscriptions } = shared.test.state;
    const token = await tokenFor(subscriptions, wish());
    shared.test.pass(48 * HOUR_MS - 1);
    expect((await subscriptions.byConfirmationToken(token)).outcome).toBe("pending");
    shared.test.pass(1);
    expect(await subscriptions.byConfirmationToken(token)).toEqual({ outcome: "expired" });
    expect(await subscriptions.confirm(token)).toEqual({ outcome: "expired" });
    for (const bad of ["", "\0", token.slice(1), `${token}=`, token.toLowerCase(), "x".repeat(10_000)])
      expect(await subscriptions.confirm(bad)).toEqual({ outcome: "unknown" });
  });

  test("the same request again is not new, with the same id; letter case of the address does not count", async () => {
    const { subscriptions } = shared.test.state;
    const asked = wish();
    const first = await subscriptions.request(asked);
    const again = await subscriptions.request({
      ...asked,
      email: asked.email.toUpperCase(),
      minConfidence: 0.9,
    });
    expect(again).toMatchObject({ created: false, publicId: first.publicId });
    const other = await subscriptions.request({ ...asked, industryCode: "I" });
    expect(other.created).toBe(true);
    expect(other.publicId).not.toBe(first.publicId);
    shared.test.pass(48 * HOUR_MS);
    expect((await subscriptions.request(asked)).created).toBe(true);
  });

  test("the answers to a stranger are the same before and after the owner confirmed or left", async () => {
    const { subscriptions } = shared.test.state;
    const [asked, control] = [wish(), wish()];
    const answers = async (one: SubscriptionWish, between: (token: string) => Promise<unknown>) => {
      const seen = [await subscriptions.request(one)];
      await between(seen[0]?.token ?? "");
      seen.push(await subscriptions.request(one));
      shared.test.pass(48 * HOUR_MS);
      seen.push(await subscriptions.request(one));
      return seen.map(({ publicId, token: _, ...rest }) => ({
        ...rest,
        isSame: publicId === seen[0]?.publicId,
      }));
    };
    const confirmAndLeave = async (token: string) => {
      const confirmation = await subscriptions.confirm(token);
      if (confirmation.outcome !== "confirmed") throw new Error(confirmation.outcome);
      await subscriptions.unsubscribe(subscriptions.linkToken("manage", confirmation.subscription.publicId));
    };
    const quiet = await answers(control, async () => undefined);
    expect(await answers(asked, (token) => subscriptions.confirm(token))).toEqual(quiet);
    expect(await answers(wish(), confirmAndLeave)).toEqual(quiet);
  });

  test("a request changes no active subscription; the link of each mail confirms what that mail says", async () => {
    const { subscriptions } = shared.test.state;
    const asked = wish();
    const active = await confirmed(subscriptions, asked);
    shared.test.pass(HOUR_MS);
    const mine = await tokenFor(subscriptions, { ...asked, minConfidence: 0.8 });
    const strangers = await tokenFor(subscriptions, { ...asked, minConfidence: 0.1, eventTypes: [] });
    expect(await subscriptions.get(active.publicId)).toEqual(active);
    expect(await subscriptions.confirm(mine)).toMatchObject({
      outcome: "confirmed",
      subscription: {
        publicId: active.publicId,
        createdAt: active.createdAt,
        minConfidence: 0.8,
        eventTypes: null,
      },
    });
    expect(await subscriptions.confirm(strangers)).toEqual({ outcome: "used" });
  });

  test("is paused, resumed and ended by the links in mails; the end deletes the address and what waits", async () => {
    const { subscriptions, outbox } = shared.test.state;
    const { publicId } = await confirmed(subscriptions, wish());
    const manage = subscriptions.linkToken("manage", publicId);
    const oneClick = subscriptions.linkToken("unsubscribe", publicId);
    expect((await subscriptions.byManageToken(manage))?.publicId).toBe(publicId);
    expect(await subscriptions.pause(manage)).toMatchObject({ status: "paused", statusReason: "owner" });
    expect((await subscriptions.active()).map((one) => one.publicId)).not.toContain(publicId);
    expect(await subscriptions.resume(manage)).toMatchObject({ status: "active", statusReason: null });
    for (const wrong of [oneClick, publicId, "", ".", `${publicId}.`, manage.slice(0, -1), `${manage} `])
      for (const act of ["byManageToken", "pause", "resume"] as const)
        expect(await subscriptions[act](wrong)).toBeUndefined();
    await outbox.enqueue([{ key: `digest ${publicId}`, kind: "mail", target: publicId, payload: "{}" }]);
    expect(await subscriptions.unsubscribe(oneClick)).toMatchObject({ status: "unsubscribed", email: null });
    expect(await outbox.list({ target: publicId })).toMatchObject([
      { state: "dead", lastError: "unsubscribed" },
    ]);
    expect(await subscriptions.unsubscribe(oneClick)).toMatchObject({ status: "unsubscribed" });
    expect(await subscriptions.unsubscribe(manage)).toMatchObject({ status: "unsubscribed" });
    expect(await subscriptions.resume(manage)).toMatchObject({ status: "unsubscribed", email: null });
    expect(await subscriptions.unsubscribe("nobody.token")).toBeUndefined();
  });

  test("the end takes the endpoint of a webhook subscription along", async () => {
    const { subscriptions, webhooks, outbox } = shared.test.state;
    const endpointUrl = "https://receiver.test/hook";
    const { publicId } = await confirmed(
      subscriptions,
      wish({ channel: "webhook", webhookUrl: endpointUrl }),
    );
    const owner = { kind: "subscription", publicId } as const;
    const made = await webhooks.upsert({ owner, endpointUrl, eventTypes: null, city: null });
    if (made.outcome === "limit_reached") throw new Error(made.outcome);
    const id = made.webhook.publicId;
    await webhooks.answerChallenge(id, (await webhooks.startChallenge(id)) ?? "");
    expect((await webhooks.deliverable()).map((one) => one.publicId)).toContain(id);
    await outbox.enqueue([{ key: `event for ${id}`, kind: "webhook", target: id, payload: "{}" }]);
    await subscriptions.unsubscribe(subscriptions.linkToken("manage", publicId));
    expect(await webhooks.of(owner)).toEqual([]);
    expect(await subscriptions.get(publicId)).toMatchObject({ webhookUrl: null });
    expect(await outbox.list({ target: id })).toMatchObject([{ state: "dead" }]);
  });

  test("whoever left comes back by a new confirmation alone, under the old id", async () => {
    const { subscriptions } = shared.test.state;
    const asked = wish();
    const { publicId } = await confirmed(subscriptions, asked);
    await subscriptions.unsubscribe(subscriptions.linkToken("unsubscribe", publicId));
    shared.test.pass(72 * HOUR_MS);
    expect(await confirmed(subscriptions, asked)).toMatchObject({
      publicId,
      status: "active",
      email: asked.email,
    });
  });

  test("bouncing mail pauses, but revives nothing", async () => {
    const { subscriptions } = shared.test.state;
    const { publicId } = await confirmed(subscriptions, wish());
    await subscriptions.suspend(publicId, "bounced");
    expect(await subscriptions.get(publicId)).toMatchObject({ status: "paused", statusReason: "bounced" });
    await subscriptions.unsubscribe(subscriptions.linkToken("manage", publicId));
    await subscriptions.suspend(publicId, "bounced");
    expect(await subscriptions.get(publicId)).toMatchObject({ status: "unsubscribed" });
  });

  test("a request whose email is not sent is stored for the next answer, and names nobody", async () => {
    await using own = await TestState.open(engine);
    const { subscriptions } = own.state;
    const asked = wish({ channel: "webhook", webhookUrl: "https://receiver.test/person" });
    const { token, ...first } = await subscriptions.request(asked, false);
    expect(await subscriptions.byConfirmationToken(token)).toMatchObject({
      subscription: { email: "", webhookUrl: null },
    });
    const { token: _, ...again } = await subscriptions.request(asked, false);
    expect([first, again]).toEqual([first, { ...first, created: false }]);
  });

  test("an unsubscribe link is known as good after nothing is left of its subscription", async () => {
    const { subscriptions } = shared.test.state;
    for (const purpose of ["manage", "unsubscribe"] as const) {
      const token = subscriptions.linkToken(purpose, "sub_0000000000000000");
      expect(await subscriptions.unsubscribe(token)).toBeUndefined();
      expect(subscriptions.isUnsubscribeToken(token)).toBe(true);
    }
    expect(subscriptions.isUnsubscribeToken("sub_0000000000000000.x")).toBe(false);
    expect(subscriptions.isUnsubscribeToken(subscriptions.neverToken("a@mail.test"))).toBe(false);
  });

  test("requests that nobody can confirm any more are forgotten", async () => {
    await using own = await TestState.open(engine);
    const { subscriptions } = own.state;
    const old = await tokenFor(subscriptions, wish());
    own.pass(HOUR_MS);
    const young = await tokenFor(subscriptions, wish());
    own.pass(47 * HOUR_MS);
    expect(await subscriptions.prune()).toBe(1);
    expect(await subscriptions.confirm(old)).toEqual({ outcome: "unknown" });
    expect((await subscriptions.confirm(young)).outcome).toBe("confirmed");
  });

  test("link tokens are bound to subscription and purpose, whatever is changed", async () => {
    const { subscriptions } = shared.test.state;
    const { publicId } = await confirmed(subscriptions, wish());
    const token = subscriptions.linkToken("manage", publicId);
    const change = fc.tuple(fc.nat({ max: token.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, character]) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect((await subscriptions.byManageToken(changed)) !== undefined).toBe(changed === token);
      }),
      { numRuns: 300 },
    );
  });
});

test("neither a token nor, after the end, an address is in the file", async () => {
  await using own = await TestState.open("sqlite");
  const { subscriptions } = own.state;
  const [asked, ignored] = [
    wish({ email: "somebody.in.particular@mail.test" }),
    wish({ email: "x@ignored.test" }),
  ];
  const token = await tokenFor(subscriptions, asked);
  await tokenFor(subscriptions, ignored);
  const files = () => ["", "-wal"].map((ending) => readFileSync(own.home.state + ending, "latin1")).join();
  const isThere = (bytes: string) => [asked.email, ignored.email, token].map((text) => bytes.includes(text));
  expect(isThere(files())).toEqual([true, true, false]);
  const confirmation = await subscriptions.confirm(token);
  const { publicId = "" } = confirmation.outcome === "confirmed" ? confirmation.subscription : {};
  await subscriptions.unsubscribe(subscriptions.linkToken("manage", publicId));
  const beside = new Database(own.home.state, { readonly: true });
  const kept = beside.prepare("SELECT email FROM subscription_requests ORDER BY id").pluck().all();
  beside.close();
  expect(kept).toEqual(["", ignored.email]);
  own.pass(48 * HOUR_MS);
  expect(await subscriptions.prune()).toBe(2);
  await own.state.close(); // the last one moves the log into the file
  expect(isThere(readFileSync(own.home.state, "latin1"))).toEqual([false, false, false]);
});
