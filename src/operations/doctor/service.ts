/** The running service, as its readers meet it: the server on this machine, the front server before it, and the certificate. */
import { existsSync } from "node:fs";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import type { Answer } from "./ask.ts";
import type { CheckContext, Finding } from "./check.ts";

const ANY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The server itself, at its own address. It may run on another machine where the front server reaches one. */
export async function* runningServer(context: CheckContext): AsyncGenerator<Finding> {
  const { host, port } = context.config;
  if (port === 0) {
    yield note("PORT is 0: the server's address is not known here, so it was not asked");
    return;
  }
  const name = ANY_ADDRESS[host] ?? host;
  const url = `http://${name.includes(":") ? `[${name}]` : name}:${port}/readyz`;
  const answer = await context.ask(url);
  if (typeof answer === "string") yield await silentServer(context, `${url}: ${answer}`);
  else if (answer.status !== 200) yield unready(url, answer);
}

async function silentServer(context: CheckContext, what: string): Promise<Finding> {
  const isService = isPublic(context.config.baseUrl);
  if (isService && (await isReady(context)))
    return note(`no server answers on this machine (${what}); the front server reaches one`);
  if (!isService && !existsSync(context.serverUnit))
    return note(`no server answers on this machine (${what}): not running`);
  return {
    problem: `no response from ${what}`,
    mend: "run `systemctl restart presence` as root, and read `journalctl -u presence`",
  };
}

function unready(url: string, { status, body }: Exclude<Answer, string>): Finding {
  return {
    problem: `${url} answers ${status} (${body.slice(0, 80).trim()})`,
    mend: "`no release`: run `presence nightly`; `state lost`: see docs/operations/databases.md; otherwise read `journalctl -u presence`",
  };
}

/** The public address, through the front server. */
export async function* frontServer({ config, ask }: CheckContext): AsyncGenerator<Finding> {
  if (!isPublic(config.baseUrl)) return;
  const url = `${config.baseUrl}/readyz`;
  const answer = await ask(url);
  if (typeof answer === "string")
    yield {
      problem: `no response from ${url}: ${answer}`,
      mend: "check nginx (`systemctl status nginx`, `nginx -t`), the DNS name and the firewall",
    };
  else if (answer.status !== 200) yield unready(url, answer);
}

const SOON_DAYS = 21;
const LATE_DAYS = 7;
const RENEW =
  "run `certbot renew` as root, and check that its timer runs (`systemctl list-timers certbot.timer`)";

/** The end of the certificate of the public address. */
export async function* certificate({ config, now, askCertificate }: CheckContext): AsyncGenerator<Finding> {
  const { protocol, hostname, port } = new URL(config.baseUrl);
  if (protocol !== "https:") return;
  const found = await askCertificate(hostname, port === "" ? 443 : Number(port));
  if (typeof found === "string") {
    yield { problem: `no certificate of ${hostname} could be read: ${found}`, mend: RENEW };
    return;
  }
  const { endsAt, problem } = found;
  const days = Math.floor((endsAt - now) / DAY_MS);
  if (problem !== undefined)
    yield { problem: `clients refuse the certificate of ${hostname}: ${problem}`, mend: RENEW };
  else if (days < SOON_DAYS)
    yield {
      problem: `the certificate of ${hostname} ends on ${isoDate(endsAt)}, in ${days} days`,
      mend: RENEW,
      level: days < LATE_DAYS ? "problem" : "warning",
    };
}

function note(problem: string): Finding {
  return { problem, mend: "", level: "note" };
}

async function isReady({ config, ask }: CheckContext): Promise<boolean> {
  const answer = await ask(`${config.baseUrl}/readyz`);
  return typeof answer !== "string" && answer.status === 200;
}

const LOOPBACK = /^(127\.|\[?::1\]?$|localhost$)/;

function isPublic(baseUrl: string): boolean {
  return !LOOPBACK.test(new URL(baseUrl).hostname);
}
