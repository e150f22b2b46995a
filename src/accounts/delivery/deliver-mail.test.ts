import { execFileSync } from "node:child_process";
import { createPublicKey, createVerify } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DeliveryWorld, fakeRelease, WISH } from "../../../tests/support/delivery/delivery-town.ts";
import { MailSink, type ReceivedMail } from "../../../tests/support/delivery/sinks.ts";
import { REPORTS_KEPT_DAYS } from "../../contract/limits.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/time.ts";
import { matchRelease } from "./match-events.ts";
import { enqueueConfirmation, enqueueReportResolved } from "./messages.ts";

function header({ source }: ReceivedMail, name: string): string | undefined {
  const [head = ""] = source.split("\r\n\r\n");
  const line = head.replace(/\r\n[ \t]+/g, " ").match(new RegExp(`^${name}: (.*)$`, "im"));
  return line?.[1];
}

/** Quoted-printable and nothing else comes from these mails. */
function readable({ source }: ReceivedMail): string {
  return source
    .replace(/=\r\n/g, "")
    .replace(/(=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll("=", ""), "hex").toString("utf8"));
}

async function requested(world: DeliveryWorld, changes: Partial<typeof WISH> = {}) {
  const answer = await world.state.subscriptions.request({ ...WISH, ...changes });
  await enqueueConfirmation(world.state.outbox, {
    subscriptionPublicId: answer.publicId,
    address: changes.email ?? WISH.email,
    token: answer.token,
    scope: "every record in Alpha",
    entityPublicId: null,
  });
  return { token: answer.token, publicId: answer.publicId };
}

test("a confirmation brings the link, once, and its token is in the store no longer", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const { token } = await requested(world);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 0 });
  const [mail] = sink.received;
  if (mail === undefined) throw new Error("no mail");
  expect(mail.to).toEqual([WISH.email]);
  expect(readable(mail)).toContain(`https://presence.test/alerts/confirm/?token=${token}`);
  expect(readable(mail)).toContain("every record in Alpha");
  expect(header(mail, "Auto-Submitted")).toBe("auto-generated");
  expect(header(mail, "List-Unsubscribe")).toBeUndefined();
  const [item] = await world.state.outbox.list();
  expect(item).toMatchObject({ state: "done", payload: "{}" });
  expect(await world.state.outbox.replay(item?.id ?? 0)).toBe(false);
});

test("emails to unconfirmed addresses have a link that refuses all further ones, for good", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const { reports, subscriptions, outbox } = world.state;
  await requested(world, { email: "Owner+tag@mail.test" });
  const id = await reports.file({
    about: null,
    record: null,
    kind: "other",
    text: "Somebody else wrote this.",
    email: "owner@mail.test",
  });
  const resolution = { outcome: "not_upheld", ledgerRow: null, resolvedBy: "desk", note: null } as const;
  const first = await reports.resolve(id, resolution, false);
  if (first.outcome !== "resolved") throw new Error(first.outcome);
  await enqueueReportResolved(outbox, first.report);
  expect(await world.deliver()).toEqual({ done: 2, retry: 0, dead: 0 });
  const links = sink.received.map(
    (mail) => /alerts\/never\/\?token=([\w.-]+)/.exec(readable(mail))?.[1] ?? "",
  );
  expect(links).toEqual(Array(2).fill(subscriptions.neverToken("owner@mail.test")));
  expect(await subscriptions.refuseEmail(links[0] ?? "")).toBe(true);
  world.test.pass(1000 * DAY_MS);
  const again = await reports.resolve(id, { ...resolution, outcome: "duplicate" }, true);
  if (again.outcome !== "resolved") throw new Error(again.outcome);
  await enqueueReportResolved(outbox, again.report);
  await requested(world, { email: "owner+other@mail.test" });
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 2 });
});

test("a digest comes once for a subscription and release, with the headers of a list and DKIM over them", async () => {
  await using sink = await MailSink.start();
  await using probe = await DeliveryWorld.open();
  const keyFile = join(probe.test.home.root, "dkim.pem");
  execFileSync("openssl", ["genrsa", "-out", keyFile, "2048"], { stdio: "ignore" });
  await using world = await DeliveryWorld.open(sink.url, { dkim: { keyFile, selector: "s1" } });
  const publicId = await world.subscribe();
  const release = fakeRelease("r1", [{ id: "e1", headline: "Café <Lumière> was seen" }]);
  await matchRelease(world.state, release);
  await matchRelease(world.state, release);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
  const [mail] = sink.received;
  if (mail === undefined) throw new Error("no mail");
  const token = world.state.subscriptions.linkToken("unsubscribe", publicId);
  expect(header(mail, "List-Unsubscribe")).toBe(`<https://presence.test/alerts/unsubscribe/?token=${token}>`);
  expect(header(mail, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
  expect(header(mail, "List-Id")).toBe("<alerts.presence.test>");
  expect(header(mail, "Subject")).toBe("1 change: every record in Alpha");
  expect(readable(mail)).toContain("Café &lt;Lumière&gt; was seen");
  const signature = header(mail, "DKIM-Signature") ?? "";
  const signed = signature
    .match(/ h=([^;]*)/)?.[1]
    ?.toLowerCase()
    .replaceAll(" ", "")
    .split(":");
  expect(signed).toEqual(expect.arrayContaining(["from", "list-unsubscribe", "list-unsubscribe-post"]));
  expect(signature).toMatch(/d=presence\.test;.*s=s1;/);
  expect(isSigned(mail, signature, keyFile)).toBe(true);
});

/** RFC 6376, relaxed headers: what the signature covers, signed with the key of the file. */
function isSigned(mail: ReceivedMail, signature: string, keyFile: string): boolean {
  const names =
    signature
      .match(/ h=([^;]*)/)?.[1]
      ?.toLowerCase()
      .replaceAll(" ", "")
      .split(":") ?? [];
  const relaxed = (name: string, value: string) => `${name}:${value.replace(/\s+/g, " ").trim()}`;
  const lines = names.map((name) => relaxed(name, header(mail, name) ?? ""));
  const own = relaxed("dkim-signature", signature.replace(/b=[^;]*$/, "b="));
  const given = signature.match(/ b=([^;]*)$/)?.[1]?.replace(/\s/g, "") ?? "";
  const pem = execFileSync("openssl", ["rsa", "-in", keyFile, "-pubout"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const verify = createVerify("RSA-SHA256").update([...lines, own].join("\r\n"));
  return verify.verify(createPublicKey(pem), given, "base64");
}

test("a server that is down for an hour loses nothing, and brings nothing twice", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  for (let n = 0; n < 40; n += 1) await world.subscribe({ email: `reader${n}@mail.test` });
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  await sink.stop();
  for (let minute = 0; minute < 60; minute += 1) {
    const { done, dead } = await world.deliver();
    expect([done, dead]).toEqual([0, 0]);
    world.test.pass(60_000);
  }
  const tries = (await world.state.outbox.list({ limit: 100 })).map((item) => item.tries);
  expect(Math.max(...tries)).toBeLessThan(7); // one that hangs does not use up the tries of all
  await sink.restart();
  for (let minute = 0; minute < 40; minute += 1) {
    await world.deliver();
    world.test.pass(60_000);
  }
  expect(new Set(sink.received.map(({ to }) => to[0])).size).toBe(40);
  expect(sink.received).toHaveLength(40);
  expect(new Set(sink.received.map((mail) => header(mail, "Message-ID"))).size).toBe(40);
});

test("a mail that has to come twice has the same Message-ID and date", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  await world.subscribe();
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  await world.deliver();
  world.test.pass(HOUR_MS);
  const [item] = await world.state.outbox.list();
  expect(await world.state.outbox.replay(item?.id ?? 0)).toBe(true);
  await world.deliver();
  const [one, two] = sink.received.map((mail) => [header(mail, "Message-ID"), header(mail, "Date")]);
  expect(one?.[0]).toMatch(/^<[0-9a-f]{32}@presence\.test>$/);
  expect(two).toEqual(one);
});

test("an address that is refused for good suspends its subscription; anything else is tried again", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const refusals = {
    "gone@mail.test": { code: 550, at: "RCPT" },
    "full@mail.test": { code: 452, at: "RCPT" },
    "spam@mail.test": { code: 554, at: "DATA" },
    "busy@mail.test": { code: 451, at: "DATA" },
  } as const;
  sink.refuse = (to) => Object.entries(refusals).find(([address]) => address === to)?.[1];
  const ids: Record<string, string> = {};
  for (const email of [...Object.keys(refusals), "fine@mail.test"])
    ids[email] = await world.subscribe({ email });
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  expect(await world.deliver()).toEqual({ done: 1, retry: 3, dead: 1 });
  const statusOf = async (email: string) => {
    const { status, statusReason } = (await world.state.subscriptions.get(ids[email] ?? "")) ?? {};
    return [status, statusReason];
  };
  expect(await statusOf("gone@mail.test")).toEqual(["paused", "its email address refuses email"]);
  expect(await statusOf("spam@mail.test")).toEqual(["active", null]);
  const errors = (await world.state.outbox.list()).map(({ lastError }) => lastError);
  expect(errors.filter((error) => error !== null).sort()).toEqual([
    "SMTP 451 to DATA",
    "SMTP 452 to RCPT TO",
    "SMTP 550 to RCPT TO",
    "SMTP 554 to DATA",
  ]);
  sink.refuse = () => undefined;
  world.test.pass(6000);
  expect(await world.deliver()).toEqual({ done: 3, retry: 0, dead: 0 });
});

test("a server that takes nothing from this sender suspends nobody", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const publicId = await world.subscribe();
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  sink.refuse = () => ({ code: 550, at: "MAIL" });
  expect(await world.deliver()).toEqual({ done: 0, retry: 1, dead: 0 });
  expect((await world.state.subscriptions.get(publicId))?.status).toBe("active");
});

test("who has paused, left or is suppressed gets nothing, nor an address whose confirmation is over", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const { subscriptions } = world.state;
  const ids = [];
  for (const name of ["paused", "left", "suppressed"])
    ids.push(await world.subscribe({ email: `${name}@mail.test` }));
  await matchRelease(world.state, fakeRelease("r1", [{ id: "e1" }]));
  await subscriptions.pause(subscriptions.linkToken("manage", ids[0] ?? ""));
  await subscriptions.unsubscribe(subscriptions.linkToken("unsubscribe", ids[1] ?? ""));
  await subscriptions.suppress("Suppressed@mail.test", "operator");
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 2 });
  await requested(world, { email: "late@mail.test" });
  world.test.pass(2 * DAY_MS);
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 1 });
  expect(sink.received).toEqual([]);
  expect((await world.state.outbox.list()).map(({ payload }) => payload)).toEqual(["{}", "{}", "{}", "{}"]);
});

test("without a mail server mail waits, webhooks go, and a confirmation that nobody was sent is forgotten in time", async () => {
  await using world = await DeliveryWorld.open();
  const { token } = await requested(world);
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 0 });
  expect((await world.state.outbox.list())[0]).toMatchObject({ state: "waiting", tries: 0 });
  world.test.pass(2 * DAY_MS);
  await world.state.subscriptions.prune();
  const [item] = await world.state.outbox.list();
  expect(item).toMatchObject({ state: "dead", payload: "{}" });
  expect(JSON.stringify(item)).not.toContain(token);
});

test("a second recipient in an address is no recipient", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  for (const email of [
    "a@mail.test>, <evil@mail.test",
    "a@mail.test, evil@mail.test",
    "a@mail.test\r\nRCPT TO:<evil@mail.test>",
  ])
    await requested(world, { email });
  await world.deliver();
  expect(sink.received.flatMap(({ to }) => to)).not.toContain("evil@mail.test");
  expect(
    sink.received.filter(({ source }) => /^(to|cc|bcc):.*evil@mail\.test(?!["'])/im.test(source)),
  ).toEqual([]);
});

test("a key that cannot sign is refused at the start", async () => {
  await using probe = await DeliveryWorld.open();
  const keyFile = join(probe.test.home.root, "ed.pem");
  const open = (file: string) =>
    DeliveryWorld.open("smtp://127.0.0.1:1", { dkim: { keyFile: file, selector: "s1" } });
  await expect(open(keyFile)).rejects.toThrow(/DKIM_KEY_FILE .*ed\.pem: no private key can be read there/);
  execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", keyFile], { stdio: "ignore" });
  await expect(open(keyFile)).rejects.toThrow("not an RSA key");
  writeFileSync(keyFile, "nonsense");
  await expect(open(keyFile)).rejects.toThrow("no private key");
  rmSync(keyFile);
});

test("whoever left an address with a report is told what came of it, once, and nothing that they wrote", async () => {
  await using sink = await MailSink.start();
  await using world = await DeliveryWorld.open(sink.url);
  const { reports, outbox } = world.state;
  const report = {
    about: "pr_1",
    record: "pr_1",
    kind: "wrong_name",
    text: "A secret thing I wrote.",
  } as const;
  const id = await reports.file({ ...report, email: "reporter@mail.test" });
  const resolve = async (outcome: "upheld" | "duplicate", again: boolean) => {
    const decision = { outcome, ledgerRow: null, resolvedBy: "review-desk", note: "A private note." };
    const resolved = await reports.resolve(id, decision, again);
    if (resolved.outcome === "resolved") await enqueueReportResolved(outbox, resolved.report);
  };
  await resolve("upheld", false);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 0 });
  const [mail] = sink.received;
  if (mail === undefined) throw new Error("no mail");
  expect(mail.to).toEqual(["reporter@mail.test"]);
  expect(readable(mail)).toContain("On 1 May 2026, someone, hopefully you, reported a problem");
  expect(readable(mail)).toContain("checked and confirmed");
  expect(readable(mail)).toContain(`https://presence.test/report/status/?report=${id}`);
  expect(readable(mail)).not.toMatch(/secret|private|pr_1|review-desk|decision has changed/i);
  expect(header(mail, "List-Unsubscribe")).toBeUndefined();
  await resolve("duplicate", true); // is not sent: the next decision comes first
  await resolve("upheld", true);
  expect(await world.deliver()).toEqual({ done: 1, retry: 0, dead: 1 });
  expect(readable(sink.received[1] ?? mail)).toContain("decision has changed");
  await resolve("duplicate", true);
  world.test.pass((REPORTS_KEPT_DAYS + 1) * DAY_MS);
  await reports.prune();
  expect(await world.deliver()).toEqual({ done: 0, retry: 0, dead: 1 });
  expect(sink.received).toHaveLength(2);
});
