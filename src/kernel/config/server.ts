import { isIP } from "node:net";
import { z } from "zod";
import { OperatorError } from "../errors.ts";
import { concern, httpUrl, oneOf, path, port, secret, shown, wholeNumber } from "./setting.ts";

/** The HTTP server, the counting of its requests, and its metrics. */
export const server = concern(
  {
    HOST: z.string().default("127.0.0.1").describe("address the server listens on"),
    PORT: port.default(4321).describe("port the server listens on; 0 picks a free one").meta(shown()),
    BASE_URL: httpUrl
      .optional()
      .describe("public address of the service, without a path; default: http://HOST:PORT")
      .meta(shown("https://presence.example.org")),
    TRUSTED_PROXIES: wholeNumber(0, 5)
      .default(0)
      .describe("number of the operator's own proxies in front of the server (X-Forwarded-For)")
      .meta(shown("1")),
    MAX_CONNECTIONS: wholeNumber(1, 1_000_000)
      .default(4000)
      .describe("most connections that the server holds at a time; it closes further ones"),
    MAX_CONNECTIONS_PER_CLIENT: wholeNumber(1, 1_000_000)
      .default(200)
      .describe(
        "most connections of one network address (IPv6: /64); with TRUSTED_PROXIES, most requests of one client under way",
      ),
    INTERNAL_ADDRESSES: z
      .string()
      .refine(isNetworkList, "must be IP addresses or CIDR blocks, separated by commas")
      .optional()
      .describe(
        "addresses of the operator's own clients, such as monitors: IP addresses and CIDR blocks, separated by commas; machine activity counts them separately",
      )
      .meta(shown()),
    BASEMAP: path
      .regex(/(^|\/)[A-Za-z0-9_][\w.-]*\.pmtiles$/, "must be the path of a .pmtiles file")
      .optional()
      .describe(
        "PMTiles file with streets and names that the server shows below the maps of cities (docs/operations/basemap.md); unset: none",
      ),
    REDIS_URL: secret(
      z.url({ protocol: /^rediss?$/, error: "must be a redis:// or rediss:// address" }),
      "Redis in which several servers share their rate limits; unset: each server counts for itself",
    ),
    SERVER_SECRETS: oneOf(["refuse", "warn", "allow"])
      .default("refuse")
      .describe(
        "what a server of real data does if it may read the ledger or its keys: `refuse` to start, `warn` in its log, or `allow`",
      ),
    METRICS_PORT: port
      .optional()
      .describe("port of a separate listener that answers `/metrics` for Prometheus; unset: no listener")
      .meta(shown("9464")),
    METRICS_ADDRESS: z.string().default("127.0.0.1").describe("address the metrics listener listens on"),
  },
  (values) => {
    const { HOST: host, PORT: port, METRICS_ADDRESS, METRICS_PORT } = values;
    if (METRICS_PORT === port && port !== 0 && METRICS_ADDRESS === host)
      throw new OperatorError(`METRICS_PORT and PORT are both ${port}: give the metrics a port of their own`);
    return {
      host,
      port,
      basemap: values.BASEMAP,
      baseUrl: (values.BASE_URL ?? `http://${host}:${port}`).replace(/\/+$/, ""),
      trustedProxies: values.TRUSTED_PROXIES,
      maxConnections: values.MAX_CONNECTIONS,
      maxConnectionsPerClient: values.MAX_CONNECTIONS_PER_CLIENT,
      internalAddresses:
        values.INTERNAL_ADDRESSES === undefined ? [] : networkList(values.INTERNAL_ADDRESSES),
      redisUrl: values.REDIS_URL,
      serverSecrets: values.SERVER_SECRETS,
      metrics: METRICS_PORT === undefined ? undefined : { host: METRICS_ADDRESS, port: METRICS_PORT },
    };
  },
);

function networkList(text: string): string[] {
  return text.split(",").map((network) => network.trim());
}

function isNetworkList(text: string): boolean {
  return networkList(text).every((network) => {
    const [address = "", bits, ...more] = network.split("/");
    const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      maxBits > 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
    );
  });
}

const MAX = 1_000_000;

/** What anyone may cause without a key: subscription requests, reports and the email that they lead to. */
export const writes = concern(
  {
    WRITES_PER_NETWORK: wholeNumber(1, MAX)
      .default(30)
      .describe(
        "subscription requests that one network (IPv4 /24, IPv6 /48) may send in an hour, and as many reports",
      ),
    WRITES_PER_HOUR: wholeNumber(1, MAX)
      .default(300)
      .describe(
        "subscription requests that are taken in an hour from all networks together, and as many reports",
      ),
    EMAILS_PER_MAILBOX: wholeNumber(1, MAX)
      .default(5)
      .describe("unconfirmed emails that requests of anyone may send to one mailbox in 24 hours"),
    EMAILS_PER_DOMAIN: wholeNumber(1, MAX)
      .default(500)
      .describe("the same for all mailboxes of one domain together"),
  },
  (values) => ({
    writes: { perNetwork: values.WRITES_PER_NETWORK, perHour: values.WRITES_PER_HOUR },
    emailBudgets: { mailbox: values.EMAILS_PER_MAILBOX, domain: values.EMAILS_PER_DOMAIN },
  }),
);
