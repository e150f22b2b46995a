import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestState } from "../../tests/support/state/stores.ts";
import { configFrom } from "../kernel/config/config.ts";
import { DAY_MS } from "../kernel/time.ts";
import { pruneState } from "./delivery.ts";

test("ended subscriptions, undecided reports and contacts of former partners go when their days are over, and from the files", async () => {
  await using own = await TestState.open("sqlite");
  const { subscriptions, reports, partners } = own.state;
  const wish = { city: "toronto", channel: "email", entityPublicId: null, industryCode: null } as const;
  const rest = { eventTypes: null, minConfidence: 0.6, webhookUrl: null };
  const { publicId, token } = await subscriptions.request({ ...wish, ...rest, email: "ended@person.test" });
  await subscriptions.confirm(token);
  const link = subscriptions.linkToken("unsubscribe", publicId);
  await subscriptions.unsubscribe(link);
  const id = await reports.file({
    about: null,
    record: null,
    kind: "other",
    text: "Undecided text",
    email: "open@person.test",
  });
  const quotas = { portalAccess: false, dailyQuota: 1, monthlyQuota: 1 };
  const contactEmail = "former@person.test";
  const former = await partners.createClient({ ...quotas, name: "Former", contactEmail });
  await partners.createClient({ ...quotas, name: "Present", contactEmail: "present@person.test" });
  await partners.updateClient(former.publicId, { status: "disabled" });
  const config = configFrom({
    ENDED_SUBSCRIPTION_DAYS: "30",
    FORMER_CONTACT_DAYS: "90",
    OPEN_REPORT_DAYS: "365",
  });
  const passed = async (days: number) => {
    own.pass(days * DAY_MS - 1);
    await pruneState(own.state, { config, clock: () => own.time });
    return [
      (await subscriptions.get(publicId)) !== undefined,
      (await partners.client(former.publicId))?.contactEmail !== null,
      (await reports.get(id))?.text !== null,
    ];
  };
  expect(await passed(30)).toEqual([true, true, true]);
  own.pass(1);
  expect(await passed(60)).toEqual([false, true, true]);
  own.pass(1);
  expect(await passed(275)).toEqual([false, false, true]);
  own.pass(1);
  expect(await passed(1)).toEqual([false, false, false]);
  expect(await reports.open()).toMatchObject([{ publicId: id, email: null }]);
  expect((await partners.listClients()).map((one) => one.contactEmail)).toEqual([
    null,
    "present@person.test",
  ]);
  expect([await subscriptions.unsubscribe(link), subscriptions.isUnsubscribeToken(link)]).toEqual([
    undefined,
    true,
  ]);
  const bytes = ["", "-wal"].map((ending) => readFileSync(own.home.state + ending, "latin1")).join();
  expect(bytes).not.toMatch(/(ended|open|former)@person|Undecided/);
  expect(bytes).toContain("present@person.test");
});
