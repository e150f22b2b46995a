import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { deliverySetup } from "../../delivery/delivery-setup.ts";
import type { Config } from "../../kernel/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { trustAnchorsFromPem } from "../../timestamp/trust-anchors.ts";
import { currentEnvironment } from "../current-environment.ts";
import { readIncidents } from "../operator-incidents.ts";
import { readOperatorTexts } from "../operator-texts.ts";
import { type Check, type Finding, findingOf, withLedger } from "./check.ts";

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** What is allowed for a demonstration and would harm a real service. */
export const realService: Check = {
  name: "settings of a real service",
  find: (patient) =>
    withLedger(patient, (reader) => (reader.meta.environment === "production" ? unfit(patient.config) : [])),
};

function unfit({ baseUrl, webhookRules, metrics, host, trustedProxies }: Config): Finding[] {
  const { protocol, hostname } = new URL(baseUrl);
  const isOwnName = !LOOPBACK.test(hostname);
  return [
    ...when(
      !isOwnName,
      `BASE_URL is ${baseUrl}: every link of the site leads to this machine alone`,
      "set BASE_URL to the public address",
    ),
    ...when(
      isOwnName && protocol === "http:",
      `BASE_URL is ${baseUrl}: not encrypted`,
      "serve over https, and set BASE_URL to that",
    ),
    ...when(
      isOwnName && LOOPBACK.test(host) && trustedProxies === 0,
      "TRUSTED_PROXIES is 0, but only a proxy can reach the server: all clients count as one for the rate limits",
      "set TRUSTED_PROXIES to the number of your proxies, mostly 1",
    ),
    ...when(
      webhookRules.allowLoopback,
      "WEBHOOKS_ALLOW_LOOPBACK is true: partners can reach this machine's own services",
      "unset it",
    ),
    ...when(
      metrics !== undefined && !LOOPBACK.test(metrics.host),
      `METRICS_ADDRESS is ${metrics?.host}: others than this machine may read the metrics`,
      "unset it, or see that a firewall lets only the monitor in",
    ),
  ];
}

function when(isWrong: boolean, problem: string, mend: string): Finding[] {
  return isWrong ? [{ problem, mend }] : [];
}

/** Files that the configuration names. */
export const namedFiles: Check = {
  name: "files of the configuration",
  find({ config }) {
    const { mail, timestampAuthority, operatorTexts } = config;
    return [
      ...readable("DKIM_KEY_FILE", mail?.dkim?.keyFile),
      ...attempt("TSA_CA_FILE", () => {
        if (timestampAuthority !== undefined)
          trustAnchorsFromPem(readFileSync(timestampAuthority.caFile, "utf8"));
      }),
      ...attempt("OPERATOR_TEXTS", () => readOperatorTexts(operatorTexts)),
      ...attempt("INCIDENTS_FILE", () => readIncidents(config)),
    ];
  },
};

function readable(variable: string, path: string | undefined): Finding[] {
  if (path === undefined) return [];
  return attempt(variable, () => accessSync(path, constants.R_OK));
}

function attempt(variable: string, read: () => unknown): Finding[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof OperatorError) return [findingOf(error, `mend the file, or change ${variable}`)];
    const reason = error instanceof Error ? error.message : String(error);
    return [
      { problem: `${variable}: ${reason}`, mend: "name a file that is there and that this user may read" },
    ];
  }
}

export const mailSettings: Check = {
  name: "mail",
  async find({ config, home, openState }) {
    if (deliverySetup(config, currentEnvironment(home)).email !== "waiting") return [];
    if (config.stateUrl === undefined && !existsSync(home.state)) return [];
    try {
      await using state = await openState();
      const counts = await state?.outbox.counts();
      const waiting = counts?.mail.waiting ?? 0;
      const all = waiting + (counts?.webhook.waiting ?? 0);
      if (config.delivery === "off")
        return when(
          all > 0,
          `${all} deliveries wait, and DELIVERY is off: nothing sends them, and confirmations are dropped after 48 hours`,
          "set DELIVERY to server or worker, or end the subscriptions and webhooks",
        );
      return when(
        waiting > 0,
        `${waiting} mails wait, and SMTP_URL is not set: confirmations are dropped after 48 hours`,
        "set SMTP_URL and MAIL_FROM (and DKIM_KEY_FILE with DKIM_SELECTOR, so that providers take the mail)",
      );
    } catch (error) {
      if (error instanceof OperatorError) return []; // the check of the state says so
      throw error;
    }
  },
};
