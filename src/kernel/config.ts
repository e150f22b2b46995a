import { z } from "zod";
import { OperatorError } from "./errors.ts";

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
  SECURITY_CONTACT: z
    .url({ protocol: /^(https|mailto)$/ })
    .regex(/^[!-~]+$/, "must be printable ASCII without spaces")
    .optional()
    .describe(
      "where to report a weakness, mailto: or https:; published in security.txt; unset: no such file",
    ),
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
  readonly releasesKept: number;
  readonly trustedProxies: number;
  readonly timestampAuthority: TimestampAuthority | undefined;
  readonly securityContact: string | undefined; // mailto: or https: address
  readonly sourceRevision: string | undefined;
}

export interface TimestampAuthority {
  readonly url: string; // http or https
  readonly caFile: string; // path of a PEM file
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
    releasesKept: values.RELEASES_KEPT,
    trustedProxies: values.TRUSTED_PROXIES,
    timestampAuthority: timestampAuthority(values.TSA_URL, values.TSA_CA_FILE),
    securityContact: values.SECURITY_CONTACT,
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

export function readConfig(): Config {
  return configFrom(process.env);
}

/** For the page build, which runs in a process of its own: the snapshot that the pages are made from. */
export function readSnapshotPath(): string {
  const path = process.env["PRESENCE_SNAPSHOT"];
  if (path) return path;
  throw new OperatorError("PRESENCE_SNAPSHOT is not set: pages are built by `presence build`, which sets it");
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
