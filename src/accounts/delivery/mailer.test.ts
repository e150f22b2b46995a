import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFileMailer } from "./mailer.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "file-mailer-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const MAIL = {
  to: "reader@mail.example",
  key: "confirm/sub_1",
  sentAt: Date.parse("2026-05-01T12:00:00Z"),
  subject: "Please confirm: ../your alerts",
  text: "https://presence.test/alerts/confirm/?token=abc",
  html: "<p>Confirm</p>",
  unsubscribeUrl: undefined,
};

test("an email is a file that its owner alone may read, and a second try replaces it", async () => {
  const place = join(folder, "mail");
  const mailer = openFileMailer(place, "https://presence.test");
  expect(await mailer.send(MAIL)).toEqual({ kind: "sent", status: 250 });
  expect(await mailer.send(MAIL)).toEqual({ kind: "sent", status: 250 });
  mailer.close();
  const names = readdirSync(place);
  expect(names).toEqual([
    expect.stringMatching(/^20260501T120000Z-please-confirm-your-alerts-[0-9a-f]{8}\.eml$/),
  ]);
  const path = join(place, names[0] ?? "");
  expect([statSync(place).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  const source = readFileSync(path, "utf8");
  expect(source).toContain("To: reader@mail.example");
  expect(source).toContain("/alerts/confirm/?token=");
});

test("only the newest files stay", async () => {
  for (let n = 0; n < 505; n += 1) writeFileSync(join(folder, `2025${String(n).padStart(4, "0")}.eml`), "");
  writeFileSync(join(folder, "notes.txt"), "mine");
  await openFileMailer(folder, "https://presence.test").send(MAIL);
  const names = readdirSync(folder);
  expect(names.filter((name) => name.endsWith(".eml"))).toHaveLength(500);
  expect(names).toContain("notes.txt");
  expect(names).not.toContain("20250005.eml");
});

test("what a process left half written goes with the rest, and a failed try leaves nothing", async () => {
  for (let n = 0; n < 505; n += 1)
    writeFileSync(join(folder, `2025${String(n).padStart(4, "0")}.eml.killed.part`), "");
  const mailer = openFileMailer(folder, "https://presence.test");
  await mailer.send(MAIL);
  const names = readdirSync(folder);
  expect(names).toHaveLength(500);
  const written = names.find((name) => name.endsWith(".eml")) ?? "";
  rmSync(join(folder, written));
  mkdirSync(join(folder, written)); // nothing can be renamed to a folder
  expect(await mailer.send(MAIL)).toMatchObject({ kind: "unreachable" });
  expect(readdirSync(folder)).toHaveLength(500);
});

test("a folder that cannot be written to is an outage, without a word of the email", async () => {
  writeFileSync(join(folder, "file"), "");
  const mailer = openFileMailer(join(folder, "file"), "https://presence.test");
  expect(await mailer.send(MAIL)).toEqual({ kind: "unreachable", status: null, error: "EEXIST" });
});

test("a link in the place of the folder leads no email elsewhere, and removes nothing there", async () => {
  const [elsewhere, place] = [join(folder, "elsewhere"), join(folder, "mail")];
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, place);
  const mailer = openFileMailer(place, "https://presence.test");
  expect(await mailer.send(MAIL)).toMatchObject({ kind: "unreachable" });
  expect(readdirSync(elsewhere)).toEqual([]);
});
