/** What a stranger and the operator see of a service that was set up by the manual. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { settings } from "../../../src/kernel/config/config.ts";
import type { Mailbox } from "../../../src/testing/servers/mailbox.ts";
import type { Debian } from "./debian.ts";
import type { Stranger } from "./stranger.ts";

export interface SetUp {
  readonly debian: Debian;
  readonly stranger: Stranger;
  readonly mailbox: Mailbox;
  readonly site: string;
}

/** Returns what it saw; throws an Error that says what is wrong. */
type Check = (setUp: SetUp) => Promise<string>;

export const CHECKS: Readonly<Record<string, Check>> = {
  "pages, JSON and RSS over HTTPS": servesAll,
  "other machines reach nginx only": closesTheRest,
  "a confirmation arrives by email": confirms,
  "each enabled timer's service succeeds": elapses,
  "the newest backup restores": restores,
  "no process has a secret in its environment": keepsSecrets,
  "the server's user cannot become another": staysApart,
  "a killed server comes back, and everything after a reboot": comesBack,
  "presence doctor finds nothing": findsNothing,
  "presence verify with the public address": verifies,
  "an alarm fires by email when the server stops": alarms,
};

async function servesAll({ stranger, site }: SetUp): Promise<string> {
  const cities = await stranger.get("/api/v1/cities");
  const [slug = ""] = Array.from(
    cities.text.matchAll(/"city":"([a-z-]+)"|"slug":"([a-z-]+)"/g),
    ([, a, b]) => a ?? b ?? "",
  );
  const expected = [
    ["/", "text/html"],
    [`/city/${slug}/`, "text/html"],
    [`/search/?q=test&city=${slug}`, "text/html"],
    [`/api/v1/city/${slug}/index`, "application/json"],
    [`/api/v1/search?name=test&city=${slug}`, "application/json"],
    [`/pulse/${slug}/rss.xml`, "text/xml"],
    ["/readyz", "application/json"],
  ] as const;
  for (const [path, type] of expected) {
    const answer = await stranger.get(path);
    if (answer.status !== 200 || !answer.type.startsWith(type))
      throw new Error(`https://${site}${path}: ${answer.status} ${answer.type} ${answer.text.slice(0, 200)}`);
  }
  return expected.map(([path]) => path).join(" ");
}

/** Server, metrics, Prometheus and Alertmanager listen on the loopback alone. */
const INNER_PORTS = [4321, 9464, 9090, 9093];

async function closesTheRest(): Promise<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((each = []) => each);
  const outer = addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address;
  if (outer === undefined) return "not tried: this machine has no other address";
  if (!(await isOpen(443, outer))) throw new Error(`${outer}:443 is closed`);
  for (const port of INNER_PORTS)
    if (await isOpen(port, outer)) throw new Error(`${outer}:${port} is open to other machines`);
  return INNER_PORTS.join(" ");
}

async function isOpen(port: number, address: string): Promise<boolean> {
  const socket = connect(port, address);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false; // refused
  } finally {
    socket.destroy();
  }
}

async function confirms({ stranger, mailbox, site }: SetUp): Promise<string> {
  const email = "reader@example.net";
  const city = await firstCity(stranger);
  const answer = await stranger.post("/api/v1/alerts/subscribe", { email, city });
  if (answer.status !== 201 && answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  await until("the email", async () => mailbox.to(email).length > 0);
  const [mail] = mailbox.to(email);
  if (!/^DKIM-Signature:/im.test(mail?.text ?? "")) throw new Error("the email is not signed (DKIM)");
  const [link] = new RegExp(`https://${site}/\\S+`).exec(mail?.text ?? "") ?? [];
  if (link === undefined) throw new Error(`the email has no link to https://${site}/`);
  const page = await stranger.get(new URL(link).pathname + new URL(link).search);
  if (page.status !== 200) throw new Error(`${link}: ${page.status}`);
  return "signed, and its link answers 200";
}

async function firstCity(stranger: Stranger): Promise<string> {
  const { text } = await stranger.get("/api/v1/cities");
  return /"city":"([a-z-]+)"|"slug":"([a-z-]+)"/.exec(text)?.slice(1).find(Boolean) ?? "";
}

async function elapses({ debian }: SetUp): Promise<string> {
  const timers = ["list-unit-files", "--type=timer", "--state=enabled", "--no-legend", "presence*"];
  const enabled = debian.run("systemctl", ...timers).stdout;
  const names = Array.from(enabled.matchAll(/^(\S+)\.timer /gm), ([, name = ""]) => name);
  if (names.length === 0) throw new Error("no timer is enabled");
  const faults = names.flatMap((name) => {
    const { status, stderr } = debian.run("systemctl", "start", `${name}.service`);
    return status === 0 ? [] : [`${stderr}${logOf(debian, name)}`];
  });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return names.join(" ");
}

function logOf(debian: Debian, name: string): string {
  return debian.run("journalctl", "--unit", name, "--no-pager", "--lines=40", "--output=cat").stdout;
}

/** Each process of the two users, a night among them, as it was started. */
async function keepsSecrets({ debian }: SetUp): Promise<string> {
  debian.run("systemctl", "start", "--no-block", "presence-nightly.service", "presence-backup.service");
  const seen = new Set<string>();
  for (let look = 0; look < LOOKS; look += 1) {
    for (const [user, variable] of variablesOf(debian)) {
      if (isSecret(user, variable)) throw new Error(`${user} has ${variable.split("=")[0]}`);
      seen.add(user);
    }
    await wait(500);
  }
  if (seen.size < 2) throw new Error(`only ${[...seen].join()} had processes`);
  return `not in the processes of ${[...seen].sort().join(" and ")}`;
}

const LOOKS = 10;
const ENVIRONMENTS = `for p in $(pgrep -u presence,presence-web); do
  tr '\\0' '\\n' < /proc/$p/environ | sed "s/^/$(ps -o user= -p $p) /"
done`;

function variablesOf(debian: Debian): [user: string, variable: string][] {
  const lines = debian.run("sh", "-c", ENVIRONMENTS).stdout.matchAll(/^(presence\S*) +(\w+=.*)$/gm);
  return Array.from(lines, ([, user = "", variable = ""]) => [user, variable]);
}

/** A secret itself, or what names a file of the other user's. */
function isSecret(user: string, variable: string): boolean {
  const [name = "", value = ""] = variable.split("=", 2);
  const isOthers = user === "presence-web" && value.startsWith("/etc/presence/presence/");
  return SECRETS.has(name) || (isOthers && !name.startsWith("BACKUP_"));
}

const SECRETS = new Set(settings().flatMap(({ name, isSecret }) => (isSecret ? [name] : [])));

/** What the server's user may try against the night and against root. Each line must fail. */
const ATTACKS = [
  "mv /srv/presence/state /srv/presence/away",
  "ln -s /etc /srv/presence/link",
  "ln /srv/presence/night/ledger.db /srv/presence/state/hard.db",
  "cat /srv/presence/night/keys/production.signing.json",
  "cat /etc/presence/presence/environment",
  "ln -s /etc/shadow /etc/presence/presence-web/link",
] as const;

async function staysApart({ debian }: SetUp): Promise<string> {
  const asServer = (line: string) => debian.run("runuser", "-u", "presence-web", "--", "sh", "-c", line);
  const done = ATTACKS.filter((line) => asServer(line).status === 0);
  if (done.length > 0) throw new Error(`presence-web may: ${done.join("; ")}`);
  const asRoot = debian.run("presence", "doctor");
  if (asRoot.status === 0 || !asRoot.stderr.includes("runuser -u presence -- presence doctor"))
    throw new Error(`root is not refused: ${asRoot.stderr}`);
  const group = "touch /srv/presence/state/stray && chgrp presence-web /srv/presence/state/stray";
  asServer(group);
  const { stdout } = doctor(debian);
  debian.run("rm", "/srv/presence/state/stray");
  if (!/MEND +permissions: .*stray/.test(stdout))
    throw new Error(`the doctor does not name a wrong group: ${stdout}`);
  return `${ATTACKS.length} attempts fail, and the doctor names a file with a wrong group`;
}

const doctor = (debian: Debian) => debian.run("runuser", "-u", "presence", "--", "presence", "doctor");

async function comesBack({ debian, stranger }: SetUp): Promise<string> {
  const isReady = async () => (await stranger.get("/readyz").catch(() => undefined))?.status === 200;
  debian.run("systemctl", "kill", "--signal=KILL", "presence.service");
  await until("the server after a kill", isReady);
  const start = performance.now();
  await debian.reboot();
  const booted = (performance.now() - start) / 1000;
  await until("the server after a reboot", isReady);
  const failed = debian.run("systemctl", "--failed", "--no-legend", "presence*").stdout;
  if (failed !== "") throw new Error(failed);
  return `${booted.toFixed(1)} s to switch off and on`;
}

async function restores({ debian }: SetUp): Promise<string> {
  const { status, stdout, stderr } = debian.run(
    "runuser",
    "-u",
    "presence",
    "--",
    "presence",
    "restore",
    "--into",
    "/srv/presence/night/restored",
  );
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return /^tree_size:? .*$/m.exec(stdout)?.[0] ?? stdout.trim();
}

async function findsNothing({ debian }: SetUp): Promise<string> {
  const { status, stdout, stderr } = doctor(debian);
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** As a reader does it, with the program and without the operator's settings. */
async function verifies({ debian, site }: SetUp): Promise<string> {
  const program = "/opt/presence/bin/presence";
  const { status, stdout, stderr } = debian.run(program, "verify", "--url", `https://${site}`);
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout.trim().split("\n").at(-1) ?? "";
}

async function alarms({ debian, mailbox }: SetUp): Promise<string> {
  quicken(debian);
  debian.run("systemctl", "restart", "prometheus");
  await until("the target is up", async () =>
    (await prometheus("query?query=up{job='presence'}")).includes('"1"]'),
  );
  debian.run("systemctl", "stop", "presence");
  const told = (subject: RegExp) => async () =>
    mailbox.to("oncall@example.org").some(({ text }) => subject.test(text));
  await until("the email of PresenceDown", told(/^Subject: \[FIRING:\d+\] PresenceDown/m));
  debian.run("systemctl", "start", "presence");
  const isOver = async () => !(await prometheus("alerts")).includes("PresenceDown");
  await until("PresenceDown ends", isOver);
  return "PresenceDown arrives by email, and ends with the next start";
}

/** Waits of the rules in seconds in place of minutes: the rules themselves stay as they are. */
function quicken(debian: Debian): void {
  const rules = join(debian.root, "etc/prometheus/presence.rules.yml");
  writeFileSync(rules, readFileSync(rules, "utf8").replace(/for: (\d+)m/g, "for: $1s"));
}

async function prometheus(path: string): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:9090/api/v1/${path}`)).text();
  } catch {
    return ""; // it starts
  }
}

const PATIENCE_SECONDS = 180;

async function until(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < PATIENCE_SECONDS; waited++) {
    if (await isDone()) return;
    await wait(1000);
  }
  throw new Error(`waited ${PATIENCE_SECONDS} s in vain: ${what}`);
}
