import { isIP } from "node:net";
import { z } from "zod";
import { OperatorError } from "./errors.ts";

function networkList(text: string): string[] {
  return text.split(",").map((network) => network.trim());
}

function isNetworkList(text: string): boolean {
  return networkList(text).every((network) => {
    const [address = "", bits, ...more] = network.split("/");
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      longest > 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
    );
  });
}

const flag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .default("false")
  .transform((value) => value === "true");

/** The only reader of the environment. Each variable is described here; the reference in docs/operations.md is made from it. */
const Environment = z.object({
  HOST: z.string().default("127.0.0.1").describe("address the server listens on"),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(4321)
    .describe("port the server listens on; 0 picks a free one"),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("public address of the service, without a path at its end; default http://HOST:PORT"),
  PRESENCE_HOME: z
    .string()
    .min(1)
    .default("./var")
    .describe("folder of the run-time files: ledger, keys, releases"),
  COMPILED_PAGES: z
    .string()
    .min(1)
    .optional()
    .describe(
      "folder on the disk of PRESENCE_HOME where builds and servers keep the compiled pages; of one installed program only; unset: `compiled-pages` in PRESENCE_HOME",
    ),
  RELEASES_KEPT: z.coerce
    .number()
    .int()
    .min(1)
    .max(365)
    .default(7)
    .describe("how many releases stay for paging cursors"),
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(5)
    .default(0)
    .describe("how many proxies before the server are ours (X-Forwarded-For)"),
  TSA_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !URL.parse(url)?.username, "must not hold a user name")
    .optional()
    .describe("time-stamp authority (RFC 3161) that is asked for a proof of each seal; unset: none"),
  TSA_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("PEM file with the roots that authority is trusted under; needed with TSA_URL"),
  INTERNAL_ADDRESSES: z
    .string()
    .refine(isNetworkList, "must be IP addresses or CIDR blocks with commas between them")
    .optional()
    .describe(
      "addresses whose requests are our own, such as monitors: IPs and CIDR blocks with commas between them; counted apart in the machine activity",
    ),
  STATE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" })
    .optional()
    .describe("PostgreSQL database of subscriptions, partners and usage; unset: `state.db` in PRESENCE_HOME"),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// address" })
    .optional()
    .describe(
      "mail server, smtp: or smtps: with user and password; unset: no mail is sent, and all of it waits; a demonstration writes it into `mail` in PRESENCE_HOME",
    ),
  MAIL_FROM: z.email().max(254).optional().describe("sender of all mail, one address; needed with SMTP_URL"),
  DKIM_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      "PEM file with the private key that mail is signed with, for the domain of MAIL_FROM; unset: not signed",
    ),
  DKIM_SELECTOR: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/i, "must be letters, digits, dots and hyphens")
    .optional()
    .describe("name of that key in the DNS (SELECTOR._domainkey.DOMAIN); needed with DKIM_KEY_FILE"),
  DELIVERY: z
    .enum(["server", "worker", "off"], { error: "must be server, worker or off" })
    .default("server")
    .describe(
      "who sends mail and webhooks: `server`: the server itself; `worker`: `presence deliver`, as a service or timer of its own; `off`: nothing is sent, and answers say so",
    ),
  WEBHOOK_PORTS: z
    .string()
    .regex(/^\d{1,5}(,\d{1,5}){0,19}$/, "must be port numbers with commas between them")
    .optional()
    .describe("ports beside 443 that webhook endpoints may have, with commas between them"),
  WEBHOOKS_ALLOW_LOOPBACK: flag.describe(
    "`true`: webhooks may go to this machine itself, over http: and to any port; for tests only",
  ),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, error: "must be a redis:// or rediss:// address" })
    .optional()
    .describe(
      "Redis that several servers count rate limits in together; unset: each server counts for itself",
    ),
  ONLINE_CHECKS_PER_NIGHT: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(0)
    .describe("how many records are looked for on the public web each night; 0: none"),
  SEARCH_API_KEY: z
    .string()
    .regex(/^[!-~]{8,200}$/, "must be 8 to 200 printable characters")
    .optional()
    .describe(
      "key of the Brave Search API, which online checks search names with; unset: only published websites are asked",
    ),
  SEARCH_API_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of that API where it is not Brave's own"),
  SEARCH_FILE: z
    .string()
    .min(1)
    .optional()
    .describe("JSON file with answers to searches, in place of the API: for tests and offline"),
  SEARCH_PHONES: flag.describe(
    "`true`: telephone numbers of records, which are private, are looked up with the search API, too",
  ),
  SECURITY_CONTACT: z
    .url({ protocol: /^(https|mailto)$/ })
    .regex(/^[!-~]+$/, "must be printable ASCII without spaces")
    .optional()
    .describe(
      "where to report a weakness, mailto: or https:; published in security.txt; unset: no such file",
    ),
  OPERATOR_NAME: z
    .string()
    .max(200)
    .regex(/^(?=.*\S)\P{Cc}+$/u, "must be one line of text")
    .optional()
    .describe("who operates the site, as its pages are to say it; unset: they name nobody"),
  OPERATOR_TEXTS: z
    .string()
    .min(1)
    .optional()
    .describe(
      "folder with the operator's own texts for the pages, any of `about.md`, `licence.md`, `privacy.md`, `terms.md`; unset: none",
    ),
  INCIDENTS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      "JSON file with the incidents that the status page tells of; unset: `incidents.json` in PRESENCE_HOME, if there is one",
    ),
  METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe("port of a listener of its own that answers `/metrics` for Prometheus; unset: none"),
  METRICS_ADDRESS: z.string().default("127.0.0.1").describe("address that this listener has"),
  SOURCE_REVISION: z
    .string()
    .max(100)
    .optional()
    .describe("revision of the source, where the checkout has no .git"),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly home: string;
  readonly compiledPages: string | undefined; // folder
  readonly releasesKept: number;
  readonly trustedProxies: number;
  readonly timestampAuthority: TimestampAuthority | undefined;
  readonly internalAddresses: readonly string[]; // IP addresses and CIDR blocks
  readonly stateUrl: string | undefined; // may hold a password: never log it
  readonly redisUrl: string | undefined; // may hold a password: never log it
  readonly mail: MailSettings | undefined;
  readonly delivery: "server" | "worker" | "off";
  readonly webhookRules: { readonly allowLoopback: boolean; readonly ports: readonly number[] };
  readonly online: OnlineSettings;
  readonly securityContact: string | undefined; // mailto: or https: address
  readonly operatorName: string | undefined;
  readonly operatorTexts: string | undefined; // folder
  readonly incidentsFile: string | undefined;
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly sourceRevision: string | undefined;
}

export interface TimestampAuthority {
  readonly url: string; // http or https
  readonly caFile: string; // path of a PEM file
}

export interface OnlineSettings {
  readonly checksPerNight: number;
  readonly search: SearchSettings | undefined;
  readonly phones: boolean; // may be sent to the search API
}

export type SearchSettings =
  | { readonly kind: "brave"; readonly key: string; readonly url: string | undefined } // never log the key
  | { readonly kind: "file"; readonly path: string };

export interface MailSettings {
  readonly smtpUrl: string; // may hold a password: never log it
  readonly from: string;
  readonly dkim: { readonly keyFile: string; readonly selector: string } | undefined;
}

/** Throws OperatorError naming the variable that is wrong. An empty variable counts as unset. */
export function configFrom(env: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new OperatorError(
      `environment variable ${String(issue?.path[0])}: ${issue?.message ?? "is wrong"}`,
    );
  }
  const values = parsed.data;
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: (values.BASE_URL ?? `http://${values.HOST}:${values.PORT}`).replace(/\/+$/, ""),
    home: values.PRESENCE_HOME,
    compiledPages: values.COMPILED_PAGES,
    releasesKept: values.RELEASES_KEPT,
    trustedProxies: values.TRUSTED_PROXIES,
    timestampAuthority: timestampAuthority(values.TSA_URL, values.TSA_CA_FILE),
    internalAddresses: values.INTERNAL_ADDRESSES === undefined ? [] : networkList(values.INTERNAL_ADDRESSES),
    stateUrl: values.STATE_URL,
    redisUrl: values.REDIS_URL,
    mail: mailSettings(values),
    delivery: values.DELIVERY,
    webhookRules: {
      allowLoopback: values.WEBHOOKS_ALLOW_LOOPBACK,
      ports: values.WEBHOOK_PORTS?.split(",").map(Number) ?? [],
    },
    online: {
      checksPerNight: values.ONLINE_CHECKS_PER_NIGHT,
      search: searchSettings(values),
      phones: values.SEARCH_PHONES,
    },
    securityContact: values.SECURITY_CONTACT,
    operatorName: values.OPERATOR_NAME?.trim(),
    operatorTexts: values.OPERATOR_TEXTS,
    incidentsFile: values.INCIDENTS_FILE,
    metrics:
      values.METRICS_PORT === undefined
        ? undefined
        : { host: values.METRICS_ADDRESS, port: values.METRICS_PORT },
    sourceRevision: values.SOURCE_REVISION,
  };
}

/** A stamp that nobody trusted vouches for would prove nothing. */
function timestampAuthority(
  url: string | undefined,
  caFile: string | undefined,
): TimestampAuthority | undefined {
  if (url === undefined) return undefined;
  if (caFile !== undefined) return { url, caFile };
  throw new OperatorError(
    "environment variable TSA_CA_FILE: is not set, but TSA_URL is: name a PEM file with the roots that the authority is trusted under",
  );
}

function searchSettings(values: z.infer<typeof Environment>): SearchSettings | undefined {
  const { SEARCH_API_KEY: key, SEARCH_API_URL: url, SEARCH_FILE: path } = values;
  if (path !== undefined && key !== undefined)
    throw new OperatorError("environment variables SEARCH_FILE and SEARCH_API_KEY: set one of them");
  if (path !== undefined) return { kind: "file", path };
  return key === undefined ? undefined : { kind: "brave", key, url };
}

function mailSettings(values: z.infer<typeof Environment>): MailSettings | undefined {
  const { SMTP_URL, MAIL_FROM, DKIM_KEY_FILE, DKIM_SELECTOR } = values;
  if ((DKIM_KEY_FILE === undefined) !== (DKIM_SELECTOR === undefined))
    throw new OperatorError(
      "environment variables DKIM_KEY_FILE and DKIM_SELECTOR: set both, or none of them",
    );
  if (SMTP_URL === undefined) return undefined;
  if (MAIL_FROM === undefined)
    throw new OperatorError(
      "environment variable MAIL_FROM: is not set, but SMTP_URL is: name the address that mail comes from",
    );
  const dkim =
    DKIM_KEY_FILE === undefined || DKIM_SELECTOR === undefined
      ? undefined
      : { keyFile: DKIM_KEY_FILE, selector: DKIM_SELECTOR };
  return { smtpUrl: SMTP_URL, from: MAIL_FROM, dkim };
}

export function readConfig(): Config {
  return configFrom(process.env);
}

/** For the tests: where a browser may be. */
export function readBrowserSettings(): { path: string | undefined; chromiumPath: string | undefined } {
  return { path: process.env["PATH"], chromiumPath: process.env["CHROMIUM_PATH"] };
}

/** Name, default and meaning of every variable, for the reference in the documentation. */
export function configReference(): { name: string; fallback: string; meaning: string }[] {
  return Object.entries(Environment.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined);
    return {
      name,
      fallback: fallback.success ? String(fallback.data ?? "") : "",
      meaning: schema.description ?? "",
    };
  });
}
