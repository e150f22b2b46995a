/** What a stranger and the operator see of a service that was set up by the manual. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { settings } from "../../../src/kernel/config/config.ts";
import type { Machine } from "../../support/machine/machine.ts";
import { BREAKS } from "./breaks.ts";
import { type Checks, doctor, isReady, type SetUp, until } from "./check.ts";
import type { Stranger } from "./stranger.ts";

export const CHECKS: Checks = {
  "pages, JSON and RSS over HTTPS": servesAll,
  "other machines reach nginx only": closesTheRest,
  "a confirmation arrives by email": confirms,
  "each enabled timer's service succeeds": elapses,
  "the newest backup restores": restores,
  "no process has a secret in its environment": keepsSecrets,
  ...BREAKS,
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
    return status === 0 ? [] : [`${stderr}${debian.journal(name)}`];
  });
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return names.join(" ");
}

/** Each process of the two users as it was started, those of a night and a backup among them. */
async function keepsSecrets({ debian }: SetUp): Promise<string> {
  const texts = debian.text("root", "cat /etc/presence/*/*-password /etc/presence/*/smtp-url").split("\n");
  const seen = new Set<string>();
  for (const { unit, user, variable } of variablesOf(debian)) {
    if (isSecret(user, variable) || texts.some((text) => text !== "" && variable.includes(text)))
      throw new Error(`${unit} has ${variable.split("=")[0]}`);
    seen.add(unit);
  }
  if (!RUNNING.every((unit) => seen.has(unit))) throw new Error(`only ${[...seen].join()} had processes`);
  return `not in ${[...seen].sort().join(", ")}`;
}

const RUNNING = ["presence.service", "presence-nightly.service", "presence-backup.service"];
const ENVIRONMENTS = `systemctl reset-failed presence-nightly.service || :
systemctl start --no-block presence-nightly.service presence-backup.service
for look in $(seq 100); do
  for p in $(pgrep -u presence,presence-web); do
    unit=$(sed -n 's|^0::.*/||p' /proc/$p/cgroup) && user=$(ps -o user= -p $p) || continue
    tr '\\0' '\\n' < /proc/$p/environ | sed "s|^|$unit $user |" || continue # it has ended
  done
  sleep 0.05
done 2> /dev/null | sort -u`;

interface Variable {
  readonly unit: string;
  readonly user: string;
  readonly variable: string;
}

function variablesOf(debian: Machine): Variable[] {
  const lines = debian.text("root", ENVIRONMENTS).matchAll(/^(\S+) (presence\S*) +(\w+=.*)$/gm);
  return Array.from(lines, ([, unit = "", user = "", variable = ""]) => ({ unit, user, variable }));
}

/** A secret itself, or what names a file of the other user's. */
function isSecret(user: string, variable: string): boolean {
  const [name = "", value = ""] = variable.split("=", 2);
  const other = user === "presence-web" ? "presence" : "presence-web";
  return SECRETS.has(name) || value.startsWith(`/etc/presence/${other}/`);
}

const SECRETS = new Set(settings().flatMap(({ name, isSecret }) => (isSecret ? [name] : [])));

async function comesBack({ debian, stranger }: SetUp): Promise<string> {
  debian.run("systemctl", "kill", "--signal=KILL", "presence.service");
  await until("the server after a kill", () => isReady(stranger));
  const start = performance.now();
  await debian.reboot();
  const booted = (performance.now() - start) / 1000;
  await until("the server after a reboot", () => isReady(stranger));
  const failed = debian.run("systemctl", "--failed", "--no-legend", "presence*").stdout;
  if (failed !== "") throw new Error(failed);
  return `${booted.toFixed(1)} s to switch off and on`;
}

async function restores({ debian }: SetUp): Promise<string> {
  const folder = "/srv/presence/night/restored";
  const [fetched, into] = [`${folder}/fetched`, `${folder}/home`];
  const stdout = debian.text(
    "presence",
    `presence-backup fetch ${fetched} && presence restore ${fetched}/home --keys ${fetched}/keys --into ${into}; rm -r ${folder}`,
  );
  return /^tree size +\d+$/m.exec(stdout)?.[0] ?? stdout.trim();
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
function quicken(debian: Machine): void {
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
