/** The desk by its HTTP edge: who is let in, who gets what, and what survives a kill. Passkeys are tried in a browser (desk-browser.test.ts). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { type MadeUpQueue, madeUpQueue, PAIRS } from "../../tests/support/desk/made-up-queue.ts";
import { presenceAt } from "../../tests/support/operations/presence-here.ts";
import { PROJECT } from "../../tests/support/operations/presence-process.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { deskPaths } from "../kernel/home.ts";
import { silentLog } from "../kernel/log.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../kernel/time.ts";
import { type DeskRole, readDecisions, readQueue } from "./crossing.ts";
import { openDeskStore } from "./desk-store.ts";
import { type RunningDesk, startDesk } from "./main.ts";
import { LEASE_MS } from "./work.ts";

let it: MadeUpQueue;
let desk: RunningDesk;
let now: number;
const paths = () => deskPaths(it.home);
const presence = (...typed: string[]) => presenceAt(it.home, typed, { clock: () => it.clock.time });

beforeEach(async () => {
  it = await madeUpQueue();
  now = it.clock.time;
  await presence("desk", "view");
  await start();
});
afterEach(async () => {
  await desk.stop();
  it[Symbol.dispose]();
});

async function start(): Promise<void> {
  desk = await startDesk({
    ...{ project: PROJECT, paths: paths(), host: "127.0.0.1", port: 0, origin: undefined },
    ...{ trustedProxies: 0, log: silentLog, clock: () => now, undoMs: 10 * SECOND_MS, tickMs: 5 },
  });
}

/** Somebody who is signed in. */
class Reviewer {
  readonly #token: string;

  constructor(name: string, role: DeskRole) {
    this.#token = `token of ${name}, as good as any other`.replaceAll(/\W/g, "-");
    using store = openDeskStore(paths().database);
    const link = sha256Hex(name);
    store.invite(name, role, { token: link, until: now + HOUR_MS, now });
    const person = store.personOfLink(link, now)?.id ?? 0;
    const passkey = { id: name, person, publicKey: new Uint8Array(3), counter: 0 };
    store.enrol(link, passkey, now);
    store.startSession(sha256Hex(this.#token), passkey, now);
  }

  get cookie(): string {
    return `desk=${this.#token}`;
  }

  async page(path = "/"): Promise<string> {
    return (await fetch(desk.origin + path, { headers: { cookie: this.cookie } })).text();
  }

  async post(path: string, body: object, headers: Record<string, string> = {}) {
    const token = /name="desk-token" content="([^"]+)"/.exec(await this.page())?.[1] ?? "";
    return fetch(desk.origin + path, {
      method: "POST",
      headers: {
        ...{
          cookie: this.cookie,
          origin: desk.origin,
          "content-type": "application/json",
          "x-desk-token": token,
        },
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  async asked<T>(schema: z.ZodType<T>, path: string, body: object): Promise<T> {
    const answer = await this.post(path, body);
    const said: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(said)}`);
    return schema.parse(said);
  }

  async next(more: object = {}) {
    const { entry } = await this.asked(Next, "/api/next", { keep: [], skip: [], kind: "match", ...more });
    if (entry === null) throw new Error("nothing is left");
    return entry;
  }

  async reject({ id: subject, version }: { readonly id: string; readonly version: string }): Promise<string> {
    const body = { subject, version, choice: 1, reason: "different_businesses" };
    return (await this.asked(z.object({ id: z.string() }), "/api/decide", body)).id;
  }

  async decisions() {
    return (await this.asked(Status, "/api/status", {})).decisions;
  }
}

const Next = z.object({
  entry: z.object({ id: z.string(), version: z.string(), html: z.string() }).nullable(),
});
const Status = z.object({
  decisions: z.array(
    z.object({
      id: z.string(),
      subject: z.string(),
      state: z.string(),
      row: z.int().nullable(),
      message: z.string().nullable(),
    }),
  ),
});

/** Waits until the desk has taken note. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}
const handedOver = () => readdirSync(paths().decisions).filter((name) => !name.startsWith("."));

test("two reviewers never get one entry, and a lease ends by itself", async () => {
  const [anna, ben] = [new Reviewer("Anna", "reviewer"), new Reviewer("Ben", "reviewer")];
  const mine = new Set<string>();
  for (let at = 0; at < PAIRS / 2; at += 1) {
    const [one, other] = await Promise.all([
      anna.next({ keep: [...mine].slice(-1), skip: [...mine] }),
      ben.next({ keep: [], skip: [...mine] }),
    ]);
    expect(one.id).not.toBe(other.id);
    mine.add(one.id);
  }
  const held = await anna.next();
  expect((await ben.post("/api/next", { entry: held.id, keep: [], skip: [] })).status).toBe(409);
  expect(
    (
      await ben.post("/api/decide", {
        subject: held.id,
        version: held.version,
        choice: 1,
        reason: "different_businesses",
      })
    ).status,
  ).toBe(409);
  now += LEASE_MS + 1;
  expect((await ben.next({ entry: held.id })).id).toBe(held.id);
  expect(
    (
      await anna.post("/api/decide", {
        subject: held.id,
        version: held.version,
        choice: 1,
        reason: "different_businesses",
      })
    ).status,
  ).toBe(409);
});

test("a decision can be undone until it is handed over, and then never; nobody undoes another's", async () => {
  const [anna, ben] = [new Reviewer("Anna", "reviewer"), new Reviewer("Ben", "reviewer")];
  const entry = await anna.next();
  const id = await anna.reject(entry);
  expect((await ben.post("/api/undo", { id })).status).toBe(409);
  expect((await anna.post("/api/undo", { id })).status).toBe(200);
  expect((await anna.next({ entry: entry.id })).id).toBe(entry.id);
  expect(await anna.decisions()).toEqual([]);
  const again = await anna.reject(entry);
  now += 11 * SECOND_MS;
  await until(() => handedOver().length === 1);
  expect((await anna.post("/api/undo", { id: again })).status).toBe(409);
});

test("a desk that is killed loses no decision, hands none over twice, and says which row it became", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  const id = await anna.reject(await anna.next());
  await desk.stop(); // the database has it; nothing else is told
  now += 11 * SECOND_MS;
  await start();
  await until(() => handedOver().length === 1);
  expect(readDecisions(paths().decisions, 10).decisions).toMatchObject([
    { id, by: "reviewer", action: "reject" },
  ]);
  await presence("desk", "apply");
  await until(async () => (await anna.decisions())[0]?.state === "decided");
  expect(await anna.decisions()).toMatchObject([
    { id, state: "decided", row: expect.any(Number), message: null },
  ]);
  expect(handedOver()).toEqual([]);
});

test("a decision that nobody answered for a day is handed over again", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  await anna.reject(await anna.next());
  now += 11 * SECOND_MS;
  await until(() => handedOver().length === 1);
  const [lost = ""] = handedOver();
  rmSync(join(paths().decisions, lost));
  now += DAY_MS + 1;
  await until(() => handedOver().length === 1);
  await presence("desk", "apply");
  using store = openDeskStore(paths().database);
  await until(() => store.decisionsOf(1, 1)[0]?.state === "decided");
});

test("what is settled leaves no key of a group, which may be made of a name", async () => {
  const lea = new Reviewer("Lea", "lead");
  const { id: subject, version } = await lea.next({ kind: "generic-name" });
  const digest = subject.replace("name:", "");
  await lea.asked(z.object({ id: z.string() }), "/api/decide", {
    subject,
    version,
    choice: 0,
    reason: "name_identifies",
  });
  const files = () =>
    readdirSync(paths().own)
      .map((name) => readFileSync(join(paths().own, name), "latin1"))
      .join();
  expect(files().includes(digest)).toBe(true);
  now += 11 * SECOND_MS;
  await until(() => handedOver().length === 1);
  await presence("desk", "apply");
  await until(async () => (await lea.decisions())[0]?.state !== "sent");
  expect((await lea.decisions())[0]).toMatchObject({ subject: "name", state: "decided" });
  now += LEASE_MS;
  await until(() => !files().includes(digest));
});

test("what a command decided meanwhile is refused, told with its reason, and waits again", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  const entry = await anna.next();
  await anna.reject(entry);
  now += 11 * SECOND_MS;
  await until(() => handedOver().length === 1);
  const record = entry.id.replace("match-", "");
  await presence("review", "flag", record, "--as", "team", "--reason", "suspicious_pattern");
  await presence("desk", "apply");
  await until(async () => (await anna.decisions())[0]?.state === "refused");
  expect((await anna.decisions())[0]?.message).toMatch(/stale: you saw it at row \d+, but row \d+ \(flag/);
  const anew = await anna.next({ entry: entry.id });
  expect(anew.version).not.toBe(entry.version);
  expect(
    (
      await anna.post("/api/decide", {
        subject: entry.id,
        version: entry.version,
        choice: 1,
        reason: "different_businesses",
      })
    ).status,
  ).toBe(409);
});

test("a lead alone decides large groups", async () => {
  const [anna, lea] = [new Reviewer("Anna", "reviewer"), new Reviewer("Lea", "lead")];
  const group = await lea.next({ kind: "industry" });
  expect(group.id).toBe("rule:1071");
  const body = { subject: group.id, version: group.version, choice: 0, reason: "industry_confirmed" };
  expect((await anna.post("/api/decide", body)).status).toBe(403);
  for (const wrong of [{ reason: "taken_down" }, { choice: 9 }, { value: "5610" }, { version: "0" }])
    expect([400, 409]).toContain((await lea.post("/api/decide", { ...body, ...wrong })).status);
  expect((await lea.post("/api/decide", body)).status).toBe(200);
});

const FOREIGN: readonly (readonly [string, Record<string, string>, number])[] = [
  ["another origin", { origin: "https://evil.example" }, 403],
  ["another site, as the browser says", { "sec-fetch-site": "cross-site" }, 403],
  ["no token of the page", { "x-desk-token": "" }, 403],
  ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
  ["no session", { cookie: "desk=other" }, 401],
  ["a cookie twice", { cookie: "desk=a; desk=b" }, 401],
];

test("a write that no page of the session made changes nothing", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  const { id: subject, version } = await anna.next();
  const body = { subject, version, choice: 1, reason: "different_businesses" };
  for (const [name, headers, status] of FOREIGN)
    expect((await anna.post("/api/decide", body, headers)).status, name).toBe(status);
  expect(await anna.decisions()).toEqual([]);
});

/** Schemas that measure a text throw at it, where it is not read as JSON of strangers. */
const HOSTILE = { keep: { length: { toString: 1 } }, skip: { length: { toString: 1 } } };

test("bodies that are too large or not what is asked for are refused", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  expect((await anna.post("/api/next", { keep: [], skip: ["x".repeat(70_000)] })).status).toBe(413);
  for (const body of [{}, { keep: "a", skip: [] }, { keep: [], skip: [], more: 1 }, HOSTILE])
    expect((await anna.post("/api/next", body)).status).toBe(400);
  expect((await anna.post("/api/nothing", {})).status).toBe(404);
  expect((await fetch(desk.origin, { method: "PUT" })).status).toBe(405);
});

test("a session ends when its reviewer does nothing for an hour, and after twelve in any case", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  const isIn = async () => !(await anna.page()).includes("Sign in with a passkey");
  for (let hour = 0; hour < 11; hour += 1) {
    now += 0.99 * HOUR_MS;
    expect((await anna.post("/api/next", { keep: [], skip: [] })).status).toBe(200);
  }
  now += 0.9 * HOUR_MS;
  expect((await anna.post("/api/status", {})).status).toBe(200); // what the page asks by itself is no act
  now += 0.2 * HOUR_MS;
  expect(await isIn()).toBe(false);
  const ben = new Reviewer("Ben", "reviewer");
  for (let hour = 0; hour < 13; hour += 1) {
    now += 0.95 * HOUR_MS;
    await ben.post("/api/next", { keep: [], skip: [] });
  }
  expect((await ben.post("/api/next", { keep: [], skip: [] })).status).toBe(401);
});

test("whoever is removed is out at once; signing out ends a session", async () => {
  const [anna, ben] = [new Reviewer("Anna", "reviewer"), new Reviewer("Ben", "reviewer")];
  await presence("desk", "remove", "Anna");
  expect((await anna.post("/api/next", { keep: [], skip: [] })).status).toBe(401);
  expect((await ben.post("/api/sign-out", {})).status).toBe(200);
  expect((await ben.post("/api/next", { keep: [], skip: [] })).status).toBe(401);
  expect((await presence("desk", "people")).stdout).toBe("Ben  reviewer  1 passkey  signed out\n");
});

test("tries to sign in are limited, and tell nothing", async () => {
  const origin = { origin: desk.origin, "content-type": "application/json" };
  const tryIn = (path: string, body: object) =>
    fetch(desk.origin + path, { method: "POST", headers: origin, body: JSON.stringify(body) });
  const link = "a".repeat(32);
  expect(await (await tryIn("/api/enrol/begin", { link })).json()).toMatchObject({
    error: expect.stringMatching(/used before, or is too old/),
  });
  const response = {
    id: "x",
    rawId: "x",
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON: "e30", authenticatorData: "e30", signature: "e30" },
  };
  expect((await tryIn("/api/sign-in/finish", { response })).status).toBe(403);
  expect((await tryIn("/api/sign-in/finish", { response: { id: 1 } })).status).toBe(400);
  const statuses: number[] = [];
  for (let at = 0; at < 40; at += 1) statuses.push((await tryIn("/api/sign-in/begin", {})).status);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
});

test("pages are for no cache, no frame and no other site; nothing of a queue is told without a session", async () => {
  const answer = await fetch(`${desk.origin}/work`);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'.*frame-ancestors 'none'$/,
  );
  expect(await answer.text()).not.toMatch(/Quince|Larkspur|decision/);
});

test("markup in a name is text, and a view of another version is none", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  const { id, html } = await anna.next();
  expect(html).toContain("Quince");
  const evil = JSON.stringify(readQueue(paths().queue)).replaceAll("Quince", "<img src=x onerror=alert(1)>");
  rmSync(paths().queue);
  writeFileSync(paths().queue, evil);
  expect((await anna.next({ entry: id })).html).not.toContain("<img");
  writeFileSync(paths().queue, evil.replace('"queue_version":1', '"queue_version":99'));
  expect((await anna.post("/api/next", { keep: [], skip: [] })).status).toBe(503);
  expect(await anna.page()).toContain("The queue is being rebuilt");
});

test("the view is gone while something is erased, and the desk forgets it", async () => {
  const anna = new Reviewer("Anna", "reviewer");
  await anna.next();
  rmSync(paths().queue);
  expect((await anna.post("/api/next", { keep: [], skip: [] })).status).toBe(503);
});
