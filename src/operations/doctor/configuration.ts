import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { deliverySetup } from "../../delivery/delivery-setup.ts";
import type { Config, SettingName } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { trustAnchorsFromPem } from "../../proof/timestamp/certificates.ts";
import { currentEnvironment } from "../context.ts";
import { readIncidents, readOperatorTexts } from "../operator-texts.ts";
import { type Check, type Finding, findingIf, findingOf, ledgerCheck, withState } from "./check.ts";

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Settings that suit a demonstration and would harm a real service. */
export const realService = ledgerCheck("settings of a real service", (reader, { config }) =>
  reader.meta.environment === "production" ? unsuitable(config) : [],
);

function unsuitable(config: Config): Finding[] {
  const { baseUrl, webhookRules, metrics, host, trustedProxies, secretsInText } = config;
  const { protocol, hostname } = new URL(baseUrl);
  const isPublic = !LOOPBACK.test(hostname);
  return [
    ...secretsInText.map((name) => ({
      problem: `${name} stands in the environment, which every process of this user hands on`,
      mend: `put the value into a file that only this user may read, name that as ${name}_FILE in its own settings (docs/operations/install.md), and remove ${name}`,
    })),
    ...settingIf(
      !isPublic,
      "BASE_URL",
      `is ${baseUrl}: every link of the site leads to this machine only`,
      "set BASE_URL to the public address",
    ),
    ...settingIf(
      isPublic && protocol === "http:",
      "BASE_URL",
      `is ${baseUrl}: not encrypted`,
      "serve over https, and set BASE_URL to the https address",
    ),
    ...settingIf(
      isPublic && LOOPBACK.test(host) && trustedProxies === 0,
      "TRUSTED_PROXIES",
      "is 0, but only a proxy can reach the server: the rate limits count all clients as one",
      "set TRUSTED_PROXIES to the number of your proxies, usually 1",
    ),
    ...settingIf(
      webhookRules.allowLoopback,
      "WEBHOOKS_ALLOW_LOOPBACK",
      "is true: partners can reach services of this machine",
      "unset it",
    ),
    ...settingIf(
      metrics !== undefined && !LOOPBACK.test(metrics.host),
      "METRICS_ADDRESS",
      `is ${metrics?.host}: other machines may read the metrics`,
      "unset it, or check that a firewall admits only the monitor",
    ),
  ];
}

function settingIf(isWrong: boolean, name: SettingName, problem: string, mend: string): Finding[] {
  return findingIf(isWrong, `${name} ${problem}`, mend);
}

/** The files that the configuration names. */
export const namedFiles: Check = {
  name: "files of the configuration",
  find({ config }) {
    const { mail, timestampAuthority, operatorTexts } = config;
    const dkimKey = mail?.dkim?.keyFile;
    return [
      ...readable("DKIM_KEY_FILE", () => dkimKey && accessSync(dkimKey, constants.R_OK)),
      ...readable(
        "TSA_CA_FILE",
        () => timestampAuthority && trustAnchorsFromPem(readFileSync(timestampAuthority.caFile, "utf8")),
      ),
      ...readable("OPERATOR_TEXTS", () => readOperatorTexts(operatorTexts)),
      ...readable("INCIDENTS_FILE", () => readIncidents(config)),
    ];
  },
};

function readable(name: SettingName, read: () => unknown): Finding[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof OperatorError) return [findingOf(error, `correct the file, or change ${name}`)];
    const reason = error instanceof Error ? error.message : String(error);
    return [{ problem: `${name}: ${reason}`, mend: "name a file that exists and that this user may read" }];
  }
}

export const emailSettings: Check = {
  name: "email",
  async find(context) {
    const { config, home } = context;
    if (deliverySetup(config, currentEnvironment(home)).email !== "waiting") return [];
    if (config.stateUrl === undefined && !existsSync(home.state)) return [];
    return withState(context, async (state) => {
      const counts = await state.outbox.counts();
      const emails = counts.mail.waiting ?? 0;
      const all = emails + (counts.webhook.waiting ?? 0);
      return config.delivery === "off"
        ? findingIf(
            all > 0,
            `${all} deliveries wait, and DELIVERY is off: they are not sent, and confirmations expire after 48 hours`,
            "set DELIVERY to server or worker, or end the subscriptions and webhooks",
          )
        : findingIf(
            emails > 0,
            `${emails} emails wait, and SMTP_URL is not set: confirmations expire after 48 hours`,
            "set SMTP_URL and MAIL_FROM (and DKIM_KEY_FILE with DKIM_SELECTOR, so that providers accept the email)",
          );
    });
  },
};
