import { Resolver } from "node:dns/promises";
import type { RequestListener } from "node:http";
import { endpointProblem } from "../../accounts/delivery/webhook-sender.ts";
import { LazyState } from "../../accounts/state-source.ts";
import { type WebsiteProver, websiteProver } from "../../accounts/website-proof.ts";
import { Activity } from "../../activity/activity.ts";
import { ThreadWriter } from "../../activity/activity-writer.ts";
import {
  REMOVAL_CHECKS_PER_HOUR,
  REMOVALS_PER_HOUR,
  REPORTS_PER_HOUR,
  SIGN_UPS_PER_HOUR,
} from "../../contract/limits.ts";
import type { Config } from "../../kernel/config/config.ts";
import { homePaths, releasePaths } from "../../kernel/home.ts";
import { systemRandom } from "../../kernel/ids.ts";
import type { Log } from "../../kernel/log.ts";
import { guardedFetch, hostProblem } from "../../kernel/public-fetch.ts";
import { type Clock, SECOND_MS, systemClock } from "../../kernel/time.ts";
import { McpService } from "../../mcp/service.ts";
import { ReleaseStore } from "../../resources/release-store.ts";
import { openState } from "../../state/open-state.ts";
import { madePages } from "../answer-page.ts";
import { type AppDeps, createApp, siteFiles } from "../app.ts";
import { basemapAnswer } from "../files/basemap.ts";
import type { SiteFiles } from "../files/file-cache.ts";
import { Admission } from "../limits/admission.ts";
import {
  type CountingStore,
  mcpLimiter,
  readLimiter,
  type WriteKind,
  writeLimiter,
} from "../limits/rate-limit.ts";
import { RequestMetrics, WriteMetrics } from "../metrics/metrics-listener.ts";
import { inOneRelease, published } from "../reads/answer-read.ts";
import { ReadPool, TOOL_ARGUMENTS, toolOperation } from "../reads/read-pool.ts";
import { loggedReleases, openFirst, type ReleaseSource } from "../reads/release-source.ts";
import { matchCurrent, setupOf } from "./state-work.ts";

export interface ServiceDeps {
  readonly log: Log;
  readonly pages: AppDeps["pages"];
  readonly clock: Clock; // decides whether a release is late
  readonly proveWebsite: AppDeps["accounts"]["proveWebsite"];
}

/** Everything that answers requests, without a listener. */
export interface Service {
  readonly app: RequestListener;
  readonly releases: ReleaseSource;
  readonly files: SiteFiles;
  readonly pool: ReadPool;
  readonly requests: RequestMetrics;
  readonly writes: WriteMetrics;
  readonly state: LazyState;
  /** To be called after the last request has ended. */
  close(): Promise<void>;
}

/** Throws OperatorError when the release is unreadable. */
export async function openService(config: Config, deps: ServiceDeps): Promise<Service> {
  const { log } = deps;
  const store = new ReleaseStore(homePaths(config.home));
  openFirst(store, log);
  const releases = loggedReleases(store, log);
  const pool = new ReadPool({ log });
  const activity = startActivity(config, log);
  const requests = new RequestMetrics(activity);
  const writes = new WriteMetrics();
  const files = siteFiles(releases);
  const state = stateOf(config, log, releases);
  const redis = await redisOf(config, log);
  const app = createApp(
    appDeps({ ...deps, config, releases, pool, observer: requests, state, redis, writes }),
    files,
  );
  return {
    app,
    releases,
    files,
    pool,
    requests,
    writes,
    state,
    async close() {
      await pool.close();
      await activity.stop();
      await state.close();
      redis?.disconnect();
      store.close();
    },
  };
}

/** Matches the published release before anything else: later subscribers are not notified of it. */
function stateOf({ stateUrl, home }: Config, log: Log, releases: ReleaseSource): LazyState {
  const open = async (mustExist: boolean) => {
    const state = await openState(stateUrl, homePaths(home), { mustExist });
    await matchCurrent(state, releases, log);
    return state;
  };
  return new LazyState(open, log);
}

/** The client is loaded only where Redis is configured. */
async function redisOf({ redisUrl }: Config, log: Log) {
  if (redisUrl === undefined) return undefined;
  const { connectRedis } = await import("../limits/rate-limit.ts");
  return connectRedis(redisUrl, log);
}

function startActivity(config: Config, log: Log): Activity {
  const { stateUrl, home, internalAddresses, trustedProxies } = config;
  const task = {
    home,
    internalAddresses: [...internalAddresses],
    ...(stateUrl && { stateUrl: stateUrl.reveal() }),
  };
  return new Activity({ writer: new ThreadWriter({ task, log }), log, clock: systemClock, trustedProxies });
}

type Wired = Pick<AppDeps, "log" | "clock" | "pages" | "releases" | "pool" | "observer"> & {
  readonly config: Config;
  readonly state: AppDeps["accounts"]["state"];
  readonly redis: CountingStore;
  readonly writes: WriteMetrics;
  readonly proveWebsite: AppDeps["accounts"]["proveWebsite"];
};

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The dependencies of the app with this configuration. */
export function appDeps({ config, state, redis, proveWebsite, writes, ...deps }: Wired): AppDeps {
  const { baseUrl, trustedProxies, webhookRules } = config;
  const { releases, log } = deps;
  const admission = new Admission({ state, trustedProxies, clock: systemClock });
  const hosts = new Set([new URL(baseUrl).hostname, ...LOOPBACK]);
  const service = new McpService({
    baseUrl,
    log,
    context: () => releases.current?.context,
    search: (name, args) =>
      inOneRelease(releases, ({ directory }) =>
        deps.pool.read({
          operationId: toolOperation(name),
          snapshot: releasePaths(directory).snapshot,
          path: {},
          query: { [TOOL_ARGUMENTS]: JSON.stringify(args) },
        }),
      ),
  });
  const limited = (kind: WriteKind, perClient: number) =>
    writeLimiter({ store: redis, kind, limits: { ...config.writes, perClient }, onRefused: writes.refused });
  return {
    ...deps,
    made: madePages(),
    basemap: basemapAnswer(config.basemap),
    limiter: readLimiter(redis),
    allowances: {
      signUps: limited("subscriptions", SIGN_UPS_PER_HOUR),
      reports: limited("reports", REPORTS_PER_HOUR),
      removals: limited("removals", REMOVALS_PER_HOUR),
      removalChecks: limited("removal_checks", REMOVAL_CHECKS_PER_HOUR),
    },
    admission,
    hosts,
    mcp: { service, limiter: mcpLimiter(redis), admission, hosts },
    accounts: {
      state,
      snapshot: () => published(releases).context.snapshot,
      endpointProblem: (endpoint) => endpointProblem(endpoint, webhookRules),
      proveWebsite,
      delivery: () => setupOf(config, releases),
      emailBudgets: config.emailBudgets,
      onWithheld: writes.withheld,
      clock: systemClock,
      random: systemRandom,
    },
  };
}

const TIMEOUT_MS = 5 * SECOND_MS;

/** Looks for tokens in the real DNS and on public hosts: nothing inside this network is ever asked. */
export function publicProver(): WebsiteProver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  const fetch = guardedFetch(({ protocol, hostname, port }) =>
    protocol === "https:" && port === "" ? hostProblem(hostname) : "must be https on its usual port",
  );
  return websiteProver({ fetch, resolveTxt: (name) => resolver.resolveTxt(name), timeoutMs: TIMEOUT_MS });
}
