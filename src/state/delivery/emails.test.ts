import { expect, test } from "vitest";
import { describeOnBoth, TestState, WISH } from "../../../tests/support/state/stores.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";

/** Who gets no email that strangers asked for. */

const LIMITS = { mailbox: 5, domain: 8 };

describeOnBoth("emails to addresses that strangers gave", (engine) => {
  test("are five a day to one mailbox, however it is spelled, and eight to one domain", async () => {
    await using own = await TestState.open(engine);
    const { emails } = own.state;
    const results = [];
    for (let n = 0; n < 30; n += 1) results.push(await emails.take(`victim+${n}@mail.test`, LIMITS));
    expect(results).toEqual([...Array(5).fill(undefined), ...Array(25).fill("mailbox")]);
    expect(await emails.take("VICTIM@mail.test", LIMITS)).toBe("mailbox");
    const others = [];
    for (let n = 0; n < 5; n += 1) others.push(await emails.take(`somebody${n}@sub${n}.mail.test`, LIMITS));
    expect(others).toEqual([undefined, undefined, undefined, "domain", "domain"]);
    expect(await emails.take("victim@other.test", LIMITS)).toBeUndefined();
    own.pass(DAY_MS - 1);
    expect(await emails.take("victim@mail.test", LIMITS)).toBe("domain");
    own.pass(1);
    expect(await emails.take("victim@mail.test", LIMITS)).toBeUndefined();
  });

  test("count dots where the provider counts them", async () => {
    await using own = await TestState.open(engine);
    const { emails } = own.state;
    const limits = { mailbox: 1, domain: 100 };
    expect(await emails.take("v.ictim@gmail.com", limits)).toBeUndefined();
    expect(await emails.take("vi.ctim+x@googlemail.com", limits)).toBe("mailbox");
    expect(await emails.take("v.ictim@mail.test", limits)).toBeUndefined();
    expect(await emails.take("vi.ctim@mail.test", limits)).toBeUndefined();
  });

  test("are never more at the same time than one after the other", async () => {
    await using own = await TestState.open(engine);
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, n) => own.state.emails.take(`same+${n}@mail.test`, LIMITS)),
    );
    expect(taken.filter((withheld) => withheld === undefined)).toHaveLength(5);
  });

  test("leave no counter behind when their time is over", async () => {
    await using own = await TestState.open(engine);
    await own.state.emails.take("a@mail.test", LIMITS);
    own.pass(HOUR_MS);
    await own.state.emails.take("b@other.test", LIMITS);
    own.pass(DAY_MS - HOUR_MS);
    expect(await own.state.emails.prune()).toBe(2);
    expect(await own.state.emails.prune()).toBe(0);
  });

  test("stop when the owner refuses them, for every spelling, and until the operator allows them", async () => {
    await using own = await TestState.open(engine);
    const { emails, subscriptions } = own.state;
    await subscriptions.suppress("Owner+shop@mail.test", "complaint");
    await subscriptions.suppress("owner@mail.test", "again");
    for (const spelled of ["owner@mail.test", "OWNER+other@mail.test"]) {
      expect(await subscriptions.isSuppressed(spelled)).toBe(true);
      expect(await emails.take(spelled, LIMITS)).toBe("suppressed");
    }
    expect(await subscriptions.isSuppressed("another@mail.test")).toBe(false);
    expect(await subscriptions.allow("owner+third@mail.test")).toBe(true);
    expect(await subscriptions.allow("owner@mail.test")).toBe(false);
    expect(await emails.take("owner@mail.test", LIMITS)).toBeUndefined();
  });

  test("stop for good by the link that each of them has; subscriptions of the mailbox end, waiting ones go", async () => {
    await using own = await TestState.open(engine);
    const { emails, subscriptions, outbox } = own.state;
    const mine = await subscriptions.request({ ...WISH, email: "owner+a@mail.test" });
    await subscriptions.confirm(mine.token);
    const waiting = await subscriptions.request({ ...WISH, email: "owner+b@mail.test" });
    const strangers = await subscriptions.request({ ...WISH, email: "stranger@mail.test" });
    await subscriptions.confirm(strangers.token);
    for (const { publicId } of [mine, waiting])
      await outbox.enqueue([{ key: publicId, kind: "mail", target: publicId, payload: '{"a":"owner"}' }]);
    const token = subscriptions.neverToken("owner+c@mail.test");
    expect(token).toBe(subscriptions.neverToken("OWNER@mail.test"));
    for (const wrong of ["", ".", token.slice(0, -1), `${token}A`, token.replace(/^./, "x")])
      expect(await subscriptions.refuseEmail(wrong)).toBe(false);
    expect(await subscriptions.refuseEmail(subscriptions.linkToken("manage", mine.publicId))).toBe(false);
    expect(await subscriptions.isSuppressed("owner@mail.test")).toBe(false);
    for (const again of [true, true]) expect(await subscriptions.refuseEmail(token)).toBe(again);
    expect((await subscriptions.active()).map(({ email }) => email)).toEqual(["stranger@mail.test"]);
    expect(await subscriptions.get(mine.publicId)).toMatchObject({ status: "unsubscribed", email: null });
    expect(await subscriptions.byConfirmationToken(waiting.token)).toEqual({ outcome: "unknown" });
    expect((await outbox.list()).map(({ state, payload }) => [state, payload])).toEqual([
      ["dead", "{}"],
      ["dead", "{}"],
    ]);
    own.pass(1000 * DAY_MS);
    expect(await emails.take("owner+later@mail.test", LIMITS)).toBe("suppressed");
  });
});
