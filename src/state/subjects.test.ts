import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { describeOnBoth, TestState, WISH } from "../../tests/support/state/stores.ts";
import { subjectCode } from "./subjects.ts";

const SUBJECT = "Jane.Subject+alerts@person.test";
const OTHER = "other@neighbor.test";
const NAMED = /jane\.?subject/i;

/** Somebody in every place that can name a person, and somebody else beside. */
async function populate({ state }: TestState): Promise<void> {
  const { subscriptions, outbox, partners, reports, webhooks } = state;
  for (const [n, email] of [SUBJECT, "jane.subject@person.test", OTHER].entries()) {
    for (const city of ["toronto", "guelph"]) {
      const { publicId, token } = await subscriptions.request({ ...WISH, email, city });
      const payload = JSON.stringify({ message: "confirmation", address: email });
      await outbox.enqueue([{ key: `${publicId} ${n}`, kind: "mail", target: publicId, payload }]);
      if (city === "toronto") await subscriptions.confirm(token);
    }
  }
  const endpointUrl = "https://receiver.test/?for=jane.subject%40person.test";
  const hook = await subscriptions.request({
    ...WISH,
    email: SUBJECT,
    city: "ottawa",
    channel: "webhook",
    webhookUrl: endpointUrl,
  });
  await subscriptions.confirm(hook.token);
  const made = await webhooks.upsert({
    owner: { kind: "subscription", publicId: hook.publicId },
    endpointUrl,
    eventTypes: null,
    city: null,
  });
  if (made.outcome === "limit_reached") throw new Error(made.outcome);
  await outbox.enqueue([{ key: "event", kind: "webhook", target: made.webhook.publicId, payload: "{}" }]);
  const ended = await subscriptions.request({ ...WISH, email: SUBJECT, city: "kingston" });
  await subscriptions.confirm(ended.token);
  await subscriptions.unsubscribe(subscriptions.linkToken("manage", ended.publicId));
  const client = { portalAccess: false, dailyQuota: 1, monthlyQuota: 1 };
  await partners.createClient({ ...client, name: "Person", contactEmail: SUBJECT });
  await partners.createClient({ ...client, name: "Other", contactEmail: OTHER });
  const kind = "other" as const;
  const about = { about: null, record: null, kind };
  await reports.file({ ...about, text: "The name is wrong, I own it.", email: SUBJECT });
  const text = "Write to jane.subject@person.test instead.";
  const mentioned = await reports.file({ ...about, text, email: OTHER });
  const note = "Called <Jane.Subject@person.test> back.";
  const resolution = { outcome: "upheld", ledgerRow: 4, resolvedBy: "desk", note } as const;
  await reports.resolve(mentioned, resolution, false);
  await subscriptions.suppress(SUBJECT, "operator");
}

function counts(data: object): Record<string, number> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, rows]) => (Array.isArray(rows) ? [[name, rows.length]] : [])),
  );
}

const NOTHING = {
  requests: 0,
  subscriptions: 0,
  webhooks: 0,
  reports: 0,
  resolutions: 0,
  partners: 0,
  deliveries: 0,
  attempts: 0,
};

describeOnBoth("a person", (engine) => {
  test("is found under every spelling of the address, in every place, ended subscriptions too", async () => {
    await using own = await TestState.open(engine);
    await populate(own);
    const { subjects } = own.state;
    const found = await subjects.find("JANE.SUBJECT@person.test");
    expect(counts(found)).toEqual({
      requests: 6,
      subscriptions: 4,
      webhooks: 1,
      reports: 2,
      resolutions: 1,
      partners: 1,
      deliveries: 5,
      attempts: 0,
    });
    expect(found.suppressed).toBe(true);
    expect(subjectCode(found)).toBe(subjectCode(await subjects.find(SUBJECT)));
    expect(counts(await subjects.find("janesubject@person.test"))).toEqual(NOTHING);
    expect((await subjects.find("nobody@person.test")).suppressed).toBe(false);
  });

  test("is erased by the code of what was found, all or nothing, and nobody else is", async () => {
    await using own = await TestState.open(engine);
    await populate(own);
    const { subjects, subscriptions, partners, reports, outbox } = own.state;
    const code = subjectCode(await subjects.find(SUBJECT));
    await own.state.reports.file({
      about: null,
      record: null,
      kind: "other",
      text: "One report more.",
      email: SUBJECT,
    });
    expect(await subjects.erase(SUBJECT, code)).toEqual({ outcome: "changed" });
    expect((await subjects.find(SUBJECT)).reports).toHaveLength(3);
    const erased = await subjects.erase(SUBJECT, subjectCode(await subjects.find(SUBJECT)));
    expect(erased.outcome).toBe("erased");
    expect(counts(await subjects.find(SUBJECT))).toEqual(NOTHING);
    expect(await subjects.erase(SUBJECT, code)).toMatchObject({ outcome: "erased" }); // as after a kill
    expect((await subscriptions.active()).map(({ email }) => email)).toEqual([OTHER]);
    expect(counts(await subjects.find(OTHER))).toMatchObject({ requests: 2, subscriptions: 1, partners: 1 });
    const contacts = (await partners.listClients()).map(({ name, contactEmail }) => [name, contactEmail]);
    expect(contacts).toEqual([
      ["Other", OTHER],
      ["Person", null],
    ]);
    expect((await reports.all()).map(({ kind, text, email }) => [kind, text, email])).toEqual(
      expect.arrayContaining([
        ["other", null, null],
        ["other", null, OTHER],
      ]),
    );
    expect((await outbox.list()).map(({ payload }) => payload).join()).not.toMatch(NAMED);
    expect(await subscriptions.isSuppressed(SUBJECT)).toBe(true);
  });

  test("is in no file of the database after the erasure, with another connection open all the while", async () => {
    await using own = await TestState.open(engine);
    await using another = await own.another();
    await populate(own);
    await another.subscriptions.active();
    expect(await filesOf(own)).toMatch(NAMED);
    const code = subjectCode(await own.state.subjects.find(SUBJECT));
    await own.state.subjects.erase(SUBJECT, code);
    expect(await own.state.subjects.compact()).toBe(true);
    expect(await filesOf(own)).not.toMatch(NAMED);
    expect((await another.subscriptions.active()).map(({ email }) => email)).toEqual([OTHER]);
  });
});

describe("SQLite", () => {
  test("an ended subscription is in no file once the log is cut, with another connection open", async () => {
    await using own = await TestState.open("sqlite");
    await using another = await own.another();
    const { subscriptions } = own.state;
    const { publicId, token } = await subscriptions.request({ ...WISH, email: SUBJECT, city: "toronto" });
    await subscriptions.confirm(token);
    await another.subscriptions.active();
    await subscriptions.unsubscribe(subscriptions.linkToken("unsubscribe", publicId));
    expect(await filesOf(own)).toMatch(NAMED);
    expect(await own.state.cutLog()).toBe(true);
    expect(await filesOf(own)).not.toMatch(NAMED);
  });

  test("a reader that does not end keeps the log from being cut for the time being, and that is said", async () => {
    await using own = await TestState.open("sqlite");
    const { subscriptions } = own.state;
    const { token } = await subscriptions.request({ ...WISH, email: SUBJECT, city: "toronto" });
    const reader = new Database(own.home.state, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM subscriptions").get();
    await subscriptions.confirm(token);
    expect(await own.state.cutLog()).toBe(false);
    reader.close();
    expect(await own.state.cutLog()).toBe(true);
  });
});

/** The bytes of every file that holds the tables. SQLite's are copied by SQLite's own process rules: see architecture.md, State. */
async function filesOf({ home, url }: TestState): Promise<string> {
  if (url === undefined) {
    const folder = dirname(home.state);
    const names = readdirSync(folder).filter((name) => name.startsWith("state.db"));
    return names.map((name) => readFileSync(join(folder, name), "latin1")).join();
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CHECKPOINT");
  const { rows } = await client.query(
    "SELECT current_setting('data_directory') || '/' || pg_relation_filepath(oid) AS path FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relnamespace = 'public'::regnamespace",
  );
  await client.end();
  const paths: string[] = rows.map(({ path }) => String(path));
  return paths
    .filter(existsSync)
    .map((path) => readFileSync(path, "latin1"))
    .join();
}
