import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeEvent, fakeRecord } from "../../tests/support/release/fake-rows.ts";
import { fakeSnapshot } from "../../tests/support/release/fake-snapshot.ts";
import { type DeliverySetup, EMAIL_WORDS, EmailDelivery } from "../contract/accounts/delivery.ts";
import { homePaths } from "../kernel/home.ts";
import { systemRandom } from "../kernel/ids.ts";
import { HOUR_MS } from "../kernel/time.ts";
import { openState, type State } from "../state/open-state.ts";
import type { AccountDeps } from "./define.ts";
import { checkSubscription, masked, requestSubscription } from "./subscriptions.ts";

/** What the answer tells whoever asks with an address that is not his. */

const home = homePaths(mkdtempSync(join(tmpdir(), "subscribe-")));
const snapshot = fakeSnapshot({ events: [fakeEvent("evt_1", 1)], records: [fakeRecord(1), fakeRecord(2)] });
let time = Date.parse("2026-05-01T12:00:00Z");
const clock = () => time;
let state: State;
let setup: DeliverySetup = { email: "sent", webhooks: true };
let deps: AccountDeps;
const withheld: string[] = [];

beforeAll(async () => {
  state = await openState(undefined, home, { clock });
  deps = {
    state: { get: () => Promise.resolve(state), fault: () => undefined, losses: () => 0 },
    snapshot: () => snapshot,
    endpointProblem: () => undefined,
    proveWebsite: async () => [],
    delivery: () => setup,
    emailBudgets: { mailbox: 5, domain: 20 },
    onWithheld: (reason) => void withheld.push(reason),
    clock,
    random: systemRandom,
  };
});
afterAll(async () => {
  await state.close();
  rmSync(home.root, { recursive: true });
});

const [city] = snapshot.cities();
const ask = (email: string) =>
  requestSubscription(deps, checkSubscription(deps, { email, city: city?.slug }));

/** Everything but the random id. */
async function answerTo(email: string) {
  const { status, body } = await ask(email);
  const { public_id, ...subscription } = body.subscription;
  expect(public_id).toMatch(/^sub_[0-9a-z]{16}$/);
  return { status, body: { ...body, subscription } };
}

async function activate(email: string): Promise<string> {
  const { wish } = checkSubscription(deps, { email, city: city?.slug });
  const asked = await state.subscriptions.request(wish);
  await state.subscriptions.confirm(asked.token);
  return state.subscriptions.linkToken("manage", asked.publicId);
}

test("addresses that are unknown, active, paused, ended or refuse all mail are answered alike, and none is changed", async () => {
  await activate("active@mail.example");
  await state.subscriptions.pause(await activate("paused@mail.example"));
  await state.subscriptions.unsubscribe(await activate("ended@mail.example"));
  await state.subscriptions.suppress("silent@mail.example", "complaint");
  time += 49 * HOUR_MS;
  const fresh = await answerTo("fresh@mail.example");
  expect(fresh).toMatchObject({ status: 201, body: { subscription: { status: "pending", created: true } } });
  for (const known of ["active", "paused", "ended", "silent"])
    expect(await answerTo(`${known}@mail.example`)).toEqual(fresh);
  const active = await state.subscriptions.active();
  expect(active.map(({ email }) => email)).toEqual(["active@mail.example"]);
});

test("one that was asked for in the last 48 hours differs in that alone, confirmed or not", async () => {
  await activate("confirmed@mail.example");
  await ask("pending@mail.example");
  const fresh = await answerTo("another@mail.example");
  const repeated = {
    status: 200,
    body: { ...fresh.body, subscription: { ...fresh.body.subscription, created: false } },
  };
  expect(await answerTo("pending@mail.example")).toEqual(repeated);
  expect(await answerTo("confirmed@mail.example")).toEqual(repeated);
});

test("the thirtieth address of one mailbox is answered like the first, and five are sent an email", async () => {
  const answers = [];
  for (let n = 0; n < 30; n += 1) answers.push(await answerTo(`victim+${n}@victim.example`));
  expect(answers).toEqual(Array(30).fill(answers[0]));
  expect(await answerTo("victim+29@victim.example")).toEqual({
    status: 200,
    body: {
      ...answers[0]?.body,
      subscription: { ...answers[0]?.body.subscription, created: false },
    },
  });
  const mails = await state.outbox.list({ kind: "mail", limit: 1000 });
  expect(mails.filter(({ payload }) => payload.includes("victim.example"))).toHaveLength(5);
  expect(withheld.filter((reason) => reason === "mailbox")).toHaveLength(26);
});

test("so is the twenty-first mailbox of one domain", async () => {
  const answers = [];
  for (let n = 0; n < 25; n += 1) answers.push(await answerTo(`p${n}@h${n}.crowd.example`));
  expect(answers).toEqual(Array(25).fill(answers[0]));
  const mails = await state.outbox.list({ kind: "mail", limit: 1000 });
  expect(mails.filter(({ payload }) => payload.includes("crowd.example"))).toHaveLength(20);
});

test("a suppressed address is sent nothing", async () => {
  await state.subscriptions.suppress("never@mail.example", "complaint");
  const { body } = await ask("never@mail.example");
  expect(await state.outbox.list({ target: body.subscription.public_id })).toEqual([]);
});

test.each(EmailDelivery.options)(
  "what is said of the email when it is %s is no more than what happens",
  async (email) => {
    setup = { email, webhooks: true };
    const { body } = await answerTo(`${email}@mail.example`);
    setup = { email: "sent", webhooks: true };
    expect(body.delivery).toMatchObject({ status: "verification_pending", email });
    expect(body.delivery.note).toContain(EMAIL_WORDS[email].confirmation);
    expect(body.delivery.note.includes("on its way")).toBe(email === "sent");
    expect(body.delivery.note.includes("the operator has not configured email yet")).toBe(
      email === "waiting",
    );
  },
);

test("an address is masked to its first letter and its host", () => {
  expect(masked("reader@mail.example")).toBe("r…@mail.example");
});
