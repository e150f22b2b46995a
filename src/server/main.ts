import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Registry } from "prom-client";
import { LazyState } from "../accounts/state-source.ts";
import { Activity, type Observer } from "../activity/activity.ts";
import { ThreadWriter } from "../activity/activity-writer.ts";
import { endpointProblem } from "../delivery/webhooks/endpoint-url.ts";
import type { Config } from "../kernel/config/config.ts";
import { OperatorError } from "../kernel/errors.ts";
import { homePaths } from "../kernel/home.ts";
import { systemRandom } from "../kernel/ids.ts";
import type { Log } from "../kernel/log.ts";
import { type Clock, systemClock } from "../kernel/time.ts";
import { McpService } from "../mcp/service.ts";
import { ReleaseStore, releaseName } from "../resources/release-store.ts";
import { openState } from "../state/open-state.ts";
import { type AppDeps, createApp, siteFiles } from "./app.ts";
import { answerBrokenRequest } from "./http/broken-request.ts";
import { Admission } from "./limits/admission.ts";
import {
  type CountingStore,
  mcpLimiter,
  readLimiter,
  reportLimiter,
  signUpLimiter,
} from "./limits/rate-limit.ts";
import { listenForMetrics } from "./metrics/metrics-listener.ts";
import { RequestMetrics } from "./metrics/request-metrics.ts";
import { type ServiceMetricsDeps, serviceMetrics } from "./metrics/service-metrics.ts";
import { published } from "./reads/answer-read.ts";
import { ReadPool } from "./reads/read-pool.ts";
import type { ReleaseSource } from "./reads/release-source.ts";
import { deliveryOf, setupOf } from "./server-delivery.ts";
import { matchCurrent, StateWork } from "./state-work.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  /** Accepts no new connections and starts no deliveries, lets running ones finish, then closes the databases. */
  stop(): Promise<void>;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const REFRESH_MS = 1000;
const GRACE_MS = 10_000;
const IDLE_CHECK_MS = 50;

const SERVER_OPTIONS = {
  requestTimeout: 30_000,
  headersTimeout: 15_000,
  keepAliveTimeout: 10_000,
  requireHostHeader: false, // the app refuses it with a JSON body, which Node does not
};

export interface ServerDeps {
  readonly log: Log;
  readonly pages: AppDeps["pages"];
  readonly clock?: Clock; // decides whether a release is late
}

/** Wires the server and listens. Rejects with OperatorError when the address is taken or the release unreadable. */
export async function startServer(
  config: Config,
  { log, pages, clock = systemClock }: ServerDeps,
): Promise<RunningServer> {
  const store = new ReleaseStore(homePaths(config.home));
  store.refresh();
  const releases = loggedReleases(store, log);
  const pool = new ReadPool({ log });
  const activity = observerOf(config, log);
  const requests = new RequestMetrics(activity);
  const files = siteFiles(releases);
  const state = stateOf(config, log, releases);
  const redis = await redisOf(config, log);
  const app = createApp(
    appDeps({ config, log, clock, pages, releases, pool, observer: requests, state, redis }),
    files,
  );
  const server = createServer(SERVER_OPTIONS, app).on("clientError", (error, socket) => {
    const status = answerBrokenRequest(error, socket);
    if (status !== undefined) requests.broken(status, socket);
  });
  const metrics = await metricsOf(config, log, {
    requests,
    releases,
    files,
    pool,
    state,
    delivery: () => setupOf(config, releases),
    clock,
  });
  const address = await listen(server, config);
  const work = new StateWork({ state, releases, deliver: deliveryOf(config, log, releases), log });
  const refresh = setInterval(() => {
    if (releases.refresh()) work.releaseChanged();
  }, REFRESH_MS).unref();
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const url = `http://${host}:${address.port}`;
  log.info("listening", { url, release: store.current === undefined ? "none" : releaseName(store.current) });
  return {
    url,
    port: address.port,
    metricsPort: metrics?.port,
    async stop() {
      clearInterval(refresh);
      await Promise.all([work.stop(), metrics?.stop(), closeGently(server)]);
      await pool.close();
      await activity.stop();
      await state.close();
      redis?.disconnect();
      store.close();
      log.info("stopped");
    },
  };
}

interface Wired {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly pages: AppDeps["pages"];
  readonly releases: ReleaseSource;
  readonly pool: ReadPool;
  readonly observer: Observer;
  readonly state: LazyState;
  readonly redis: CountingStore;
}

function appDeps({ config, log, clock, pages, releases, pool, observer, state, redis }: Wired): AppDeps {
  const { baseUrl, trustedProxies, webhookRules } = config;
  const admission = new Admission({ state, trustedProxies, clock: systemClock });
  const hosts = new Set([new URL(baseUrl).hostname, ...LOOPBACK]);
  return {
    releases,
    pages,
    observer,
    pool,
    limiter: readLimiter(redis),
    allowances: { signUps: signUpLimiter(redis), reports: reportLimiter(redis) },
    admission,
    hosts,
    log,
    clock,
    mcp: {
      service: new McpService({ baseUrl, log, context: () => releases.current?.context }),
      limiter: mcpLimiter(redis),
      admission,
      hosts,
    },
    accounts: {
      state,
      snapshot: () => published(releases).context.snapshot,
      endpointProblem: (endpoint) => endpointProblem(endpoint, webhookRules),
      delivery: () => setupOf(config, releases),
      clock: systemClock,
      random: systemRandom,
    },
  };
}

/** Matches the published release before anything else: later subscribers are not notified of it. */
function stateOf({ stateUrl, home }: Config, log: Log, releases: ReleaseSource): LazyState {
  const open = async () => {
    const state = await openState(stateUrl, homePaths(home));
    await matchCurrent(state, releases, log);
    return state;
  };
  return new LazyState(open, log);
}

/** Loaded where it is configured only. */
async function redisOf({ redisUrl }: Config, log: Log) {
  if (redisUrl === undefined) return undefined;
  const { connectRedis } = await import("./limits/redis-store.ts");
  return connectRedis(redisUrl, log);
}

function observerOf({ stateUrl, home, internalAddresses, trustedProxies }: Config, log: Log): Activity {
  const task = {
    home,
    internalAddresses: [...internalAddresses],
    ...(stateUrl && { stateUrl: stateUrl.reveal() }),
  };
  return new Activity({ writer: new ThreadWriter({ task, log }), log, clock: systemClock, trustedProxies });
}

type Measured = Omit<ServiceMetricsDeps, "loopDelay" | "nightlyPath"> & {
  readonly requests: RequestMetrics;
};

async function metricsOf({ metrics, home }: Config, log: Log, { requests, ...measured }: Measured) {
  if (metrics === undefined) return undefined;
  const loopDelay = monitorEventLoopDelay();
  loopDelay.enable();
  const deps = { ...measured, loopDelay, nightlyPath: homePaths(home).nightly };
  const collect = async () => Registry.merge([requests.registry, await serviceMetrics(deps)]);
  return listenForMetrics({ ...metrics, collect, log });
}

/** A release that cannot be read is the operator's trouble, not the reader's: the one before goes on being served. */
function loggedReleases(store: ReleaseStore, log: Log): ReleaseSource {
  return {
    get current() {
      return store.current;
    },
    refresh() {
      try {
        const isNew = store.refresh();
        if (isNew && store.current !== undefined)
          log.info("release_picked_up", { release: releaseName(store.current) });
        return isNew;
      } catch (error) {
        log.error("release_refused", { fault: error instanceof Error ? error.message : String(error) });
        return false;
      }
    },
  };
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        new OperatorError(
          `cannot listen on ${config.host}:${config.port}: ${error.message}. Set HOST or PORT.`,
          { cause: error },
        ),
      );
    });
    server.listen(config.port, config.host, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("the server has no address"));
      else resolve(address);
    });
  });
}

/** Node closes idle connections only once, so those that become idle after their last answer are looked for again. */
function closeGently(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      resolve();
    });
  });
}
