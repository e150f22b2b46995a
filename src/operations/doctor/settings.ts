/** What the operator set up: settings, the files that they name, and the users of the machine. */
import { accessSync, constants, existsSync, readFileSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { deliverySetup } from "../../accounts/delivery/delivery-setup.ts";
import type { Config, SettingName } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { isSharedFolder } from "../../kernel/files/secret-file.ts";
import type { Account, Home, ProcessUser } from "../../kernel/home.ts";
import { shellLine } from "../../kernel/text/terminal.ts";
import { trustAnchorsFromPem } from "../../proof/timestamp/certificates.ts";
import { currentEnvironment } from "../context.ts";
import { readIncidents, readOperatorTexts } from "../operator-texts.ts";
import {
  type Check,
  type CheckContext,
  type Finding,
  findingIf,
  findingOf,
  notSetUp,
  ofRealLedger,
  withState,
} from "./check.ts";

const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Settings that suit a demonstration and would harm a real service. */
export const realService = ofRealLedger((_, { config }) => [
  ...config.secretsInText.map((name) => ({
    problem: `${name} is set in the environment, which every process of this user passes on`,
    mend: `put the value into a file of the user's secrets (docs/operations/environment.md), and remove ${name}`,
  })),
  ...unsuitable(config).flatMap(([isWrong, name, problem, mend]) =>
    findingIf(isWrong, `${name} ${problem}`, mend),
  ),
]);

/** Variables that somebody meant as settings. */
export function unknownNames({ config }: CheckContext): Finding[] {
  return config.mistyped.map(({ name, hint = "" }) => ({
    problem: `environment variable ${name} is not a setting and has no effect: ${hint}`,
    mend: "correct the name, or remove the variable",
  }));
}

function unsuitable(config: Config): (readonly [boolean, SettingName, problem: string, mend: string])[] {
  const { baseUrl, webhookRules, metrics, host, trustedProxies } = config;
  const { protocol, hostname } = new URL(baseUrl);
  const isPublic = !LOOPBACK.test(hostname);
  return [
    [
      !isPublic,
      "BASE_URL",
      `is ${baseUrl}: every link of the site leads to this machine only`,
      "set BASE_URL to the public address",
    ],
    [
      isPublic && protocol === "http:",
      "BASE_URL",
      `is ${baseUrl}: not encrypted`,
      "serve over https, and set BASE_URL to the https address",
    ],
    [
      isPublic && LOOPBACK.test(host) && trustedProxies === 0,
      "TRUSTED_PROXIES",
      "is 0, but only a proxy can reach the server: the rate limits count all clients as one",
      "set TRUSTED_PROXIES to the number of your proxies, usually 1",
    ],
    [
      webhookRules.allowLoopback,
      "WEBHOOKS_ALLOW_LOOPBACK",
      "is true: partners can reach services of this machine",
      "unset it",
    ],
    [
      metrics !== undefined && !LOOPBACK.test(metrics.host),
      "METRICS_ADDRESS",
      `is ${metrics?.host}: other machines may read the metrics`,
      "unset it, or check that a firewall admits only the monitor",
    ],
  ];
}

/** The files that the configuration names. */
export function namedFiles({ config }: CheckContext): Finding[] {
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
}

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

/** Parts of a real service that nobody may miss until they are needed. */
export const monitoring = ofRealLedger((_, { config }) =>
  notSetUp(
    config.metrics === undefined,
    "nothing watches the service (METRICS_PORT): a night that fails is noticed by nobody",
    "docs/operations/monitoring.md",
  ),
);

export const contact = ofRealLedger((_, { config }) => [
  ...notSetUp(
    config.securityContact === undefined,
    "no contact for security reports is published (SECURITY_CONTACT)",
    "docs/operations/operator-texts.md",
  ),
  ...notSetUp(
    config.operatorName === undefined,
    "the pages do not say who operates the site (OPERATOR_NAME)",
    "docs/operations/operator-texts.md",
  ),
]);

const mailServer = ofRealLedger((_, { config }) =>
  notSetUp(
    config.mail === undefined && config.delivery !== "off",
    "no mail server is set (SMTP_URL): subscriptions by email cannot be confirmed",
    "docs/operations/delivery.md",
  ),
);

export const emailSettings: Check = async function* (context) {
  const { config, home } = context;
  yield* mailServer(context);
  if (deliverySetup(config, currentEnvironment(home)).email !== "waiting") return;
  if (config.stateUrl === undefined && !existsSync(home.state)) return;
  yield* await withState(context, async (state) => {
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
};

const INSTALL = "give the server a user of its own (docs/operations/install.md)";

/** For real data: the server's user reads neither ledger nor keys, and its unit closes them as well. */
export const separateUsers = ofRealLedger((_, { home, serverUnit, user }) => [
  ...findingIf(
    !isSharedFolder(home.stateFolder),
    `${home.stateFolder}: the server shares a user with the ledger and its keys, and whoever takes it over can sign`,
    INSTALL,
  ),
  ...stateOwner(home),
  ...serverEntry(home, user),
  ...unitOf(serverUnit, home),
]);

/** Either user may have made the state; the server has it through its owner or its group, which must not be those of the ledger. */
function stateOwner({ state, stateFolder, ledger }: Home): Finding[] {
  if (!isSharedFolder(stateFolder) || !existsSync(state)) return [];
  const [{ uid, gid }, own] = [statSync(state), statSync(ledger)];
  return findingIf(
    uid === own.uid && gid === own.gid,
    `${state} and ${ledger} belong to the same user and group`,
    INSTALL,
  );
}

function serverEntry(home: Home, user: ProcessUser): Finding[] {
  if (!existsSync(home.state)) return [];
  return entryOf(user.accountOf(statSync(dirname(home.state)).uid), home, user, "start the server again");
}

/** Debian's user of nginx; another front server is the operator's to check. */
const WEB_USER = "www-data";

/** The front server reads the releases through `current`. */
export const webServer = ofRealLedger((_, { home, user }) =>
  entryOf(user.accountOf(WEB_USER), home, user, "restart nginx"),
);

/** With a home that is open to its group only, whoever reads the releases must be in that group; and all folders above must be open. */
function entryOf(reader: Account | undefined, { night }: Home, user: ProcessUser, then: string): Finding[] {
  const { uid, gid } = statSync(night);
  if (reader === undefined || reader.uid === uid) return [];
  const groups = user.groupsOf(reader);
  const isClosed = (folder: string) => !mayEnter(statSync(folder), reader, groups);
  const group = user.groupOf(gid)?.name ?? String(gid);
  return [
    ...foldersAbove(night)
      .filter(isClosed)
      .map((folder) => ({
        problem: `${reader.name} may not enter ${folder}, so it reaches no release`,
        mend: `run \`${shellLine(["chmod", "o+x", folder])}\` as root, or move the home`,
      })),
    ...findingIf(
      isClosed(night),
      `${reader.name} may not enter ${night}: it is not in the group ${group}`,
      `${shellLine(["usermod", "--append", "--groups", group, reader.name])}, and ${then}`,
    ),
  ];
}

function mayEnter({ uid, gid, mode }: Stats, reader: Account, groups: readonly number[]): boolean {
  if (uid === reader.uid) return (mode & 0o100) !== 0;
  return (mode & (groups.includes(gid) ? 0o010 : 0o001)) !== 0;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

/** What the server's unit leaves open, if it is installed. */
function unitOf(path: string, { ledger, keys }: Home): Finding[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").matchAll(/^InaccessiblePaths=(.*)$/gm);
  // A leading `-` allows for a missing path.
  const listed = [...lines].flatMap(([, list = ""]) => list.split(/\s+/));
  const closed = new Set(listed.map((entry) => entry.replace(/^[-+]+/, "")));
  return [ledger, keys].flatMap((secret) =>
    findingIf(
      !closed.has(secret),
      `${path}: InaccessiblePaths does not name ${secret}`,
      "copy deploy/systemd/presence.service again, with your PRESENCE_HOME",
    ),
  );
}
