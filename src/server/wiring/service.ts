import type { RequestListener } from "node:http";
import { LazyState } from "../../accounts/state-source.ts";
import { Activity } from "../../activity/activity.ts";
import { ThreadWriter } from "../../activity/activity-writer.ts";
import type { Config } from "../../kernel/config/config.ts";
import { homePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { type Clock, systemClock } from "../../kernel/time.ts";
import { ReleaseStore } from "../../resources/release-store.ts";
import { openState } from "../../state/open-state.ts";
import { type AppDeps, createApp, siteFiles } from "../app.ts";
import type { SiteFiles } from "../files/file-cache.ts";
import { WriteMetrics } from "../metrics/metrics-listener.ts";
import { RequestMetrics } from "../metrics/request-metrics.ts";
import { ReadPool } from "../reads/read-pool.ts";
import { loggedReleases, openFirst, type ReleaseSource } from "../reads/release-source.ts";
import { appDeps } from "./app-deps.ts";
import { matchCurrent } from "./state-work.ts";

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
