import { monitorEventLoopDelay } from "node:perf_hooks";
import { Registry } from "prom-client";
import type { Config } from "../../kernel/config/config.ts";
import { homePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { listenForMetrics, type MetricsListener } from "./metrics-listener.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { type ServiceMetricsDeps, serviceMetrics } from "./service-metrics.ts";
import type { WriteMetrics } from "./write-metrics.ts";

type MetricsDeps = Omit<ServiceMetricsDeps, "loopDelay" | "nightlyPath" | "backupStatus"> & {
  readonly requests: RequestMetrics;
  readonly writes: WriteMetrics;
};

/** Serves the metrics at the configured address; undefined without one. */
export async function startMetrics(
  { metrics, home }: Config,
  log: Log,
  { requests, writes, ...measured }: MetricsDeps,
): Promise<MetricsListener | undefined> {
  if (metrics === undefined) return undefined;
  const loopDelay = monitorEventLoopDelay();
  loopDelay.enable();
  const { nightly: nightlyPath, backupStatus } = homePaths(home);
  const deps = { ...measured, loopDelay, nightlyPath, backupStatus };
  const collect = async () =>
    Registry.merge([requests.registry, writes.registry, await serviceMetrics(deps)]);
  return listenForMetrics({ ...metrics, collect, log });
}
