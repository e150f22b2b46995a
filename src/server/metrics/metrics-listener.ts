import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Registry } from "prom-client";
import type { Config } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { portOf } from "../../kernel/port.ts";
import type { Withheld } from "../../state/delivery/emails.ts";
import type { WriteBudget, WriteKind } from "../limits/write-limits.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { type ServiceMetricsDeps, serviceMetrics } from "./service-metrics.ts";

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly collect: () => Promise<Registry>;
  readonly log: Log;
}

export interface MetricsListener {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves metrics on a separate port, so no proxy mistake makes them public. Rejects with OperatorError when the address is taken. */
export async function listenForMetrics({
  host,
  port,
  collect,
  log,
}: ListenerOptions): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    answer(request, response, collect).catch((error: unknown) => {
      log.error("metrics_failed", { fault: error instanceof Error ? error.message : String(error) });
      response.writeHead(500).end();
    });
  });
  await listening(server, host, port);
  server.unref(); // it keeps no process alive whose public listener could not start
  return {
    port: portOf(server),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  collect: () => Promise<Registry>,
): Promise<void> {
  if (request.url !== "/metrics") return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
  const registry = await collect();
  const text = await registry.metrics();
  response.writeHead(200, { "Content-Type": registry.contentType, "Cache-Control": "no-store" }).end(text);
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new OperatorError(
          `cannot listen on ${host}:${port} for metrics: ${cause.message}. Set METRICS_ADDRESS or METRICS_PORT.`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
}

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

/** Counts the writes of strangers that a budget refused, and the emails that they did not cause. */
export class WriteMetrics {
  readonly registry = new Registry();
  readonly #refused = new Counter({
    name: "presence_writes_refused_total",
    help: "Subscription requests and reports refused, by the budget that was used up.",
    labelNames: ["kind", "budget"],
    registers: [this.registry],
  });
  readonly #withheld = new Counter({
    name: "presence_emails_withheld_total",
    help: "Emails that requests asked for and that were not sent, by reason.",
    labelNames: ["reason"],
    registers: [this.registry],
  });

  readonly refused = (kind: WriteKind, budget: WriteBudget): void => this.#refused.inc({ kind, budget });
  readonly withheld = (reason: Withheld): void => this.#withheld.inc({ reason });
}
