import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import { Counter, Histogram, Registry } from "prom-client";
import type { Observer } from "../../activity/activity.ts";
import type { Config } from "../../kernel/config/config.ts";
import { homePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { matchPath, pathOf, requestKind, type ServiceEndpoint } from "../../site/routes/registry.ts";
import type { Withheld } from "../../state/delivery/emails.ts";
import { isApiPath } from "../files/file-cache.ts";
import type { WriteBudget, WriteKind } from "../limits/rate-limit.ts";
import { listen } from "../listen.ts";
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
  const bound = await listen(server, { host, port }, "METRICS_ADDRESS or METRICS_PORT");
  server.unref(); // it keeps no process alive whose public listener could not start
  return {
    port: bound.port,
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

type RequestClass = "probe" | "mcp" | "accounts" | "api" | "site" | "broken";

/** Seconds: files take well below a millisecond, reads with arguments some, and nothing longer than the limit of a read. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** The client closed the connection before the answer was complete; nginx's number. */
const ABORTED = 499;

/** Counts requests by class and status, closed lists that reveal nothing about clients, and forwards them to the next observer. */
export class RequestMetrics implements Observer {
  readonly registry = new Registry();
  readonly #next: Observer;
  readonly #requests = new Counter({
    name: "presence_requests_total",
    help: "Requests answered, by class and status.",
    labelNames: ["class", "status"],
    registers: [this.registry],
  });
  readonly #latency = new Histogram({
    name: "presence_request_seconds",
    help: "Time from a request to the end of its answer.",
    labelNames: ["class"],
    buckets: BOUNDS,
    registers: [this.registry],
  });

  constructor(next: Observer) {
    this.#next = next;
  }

  answered(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    this.#count(fileClass(pathOf(request)), response.statusCode, startedAt);
    this.#next.answered(request, response, startedAt);
  }

  answering(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    const kind = classOf(request);
    response.once("close", () =>
      this.#count(kind, response.writableFinished ? response.statusCode : ABORTED, startedAt),
    );
    this.#next.answering(request, response, startedAt);
  }

  broken(status: number, socket: Duplex): void {
    this.#requests.inc({ class: "broken", status });
    this.#next.broken(status, socket);
  }

  #count(kind: RequestClass, status: number, startedAt: number): void {
    this.#requests.inc({ class: kind, status });
    this.#latency.observe({ class: kind }, (performance.now() - startedAt) / SECOND_MS);
  }
}

const CLASSES: Readonly<Partial<Record<ServiceEndpoint["kind"], RequestClass>>> = {
  health: "probe",
  mcp: "mcp",
  account: "accounts",
  form: "accounts",
};

function classOf(request: IncomingMessage): RequestClass {
  const pathname = pathOf(request);
  const kind = requestKind(matchPath(pathname), request.method);
  return (kind && CLASSES[kind]) ?? fileClass(pathname);
}

/** Files answer no other classes, so the address of one need not be matched. */
function fileClass(pathname: string): RequestClass {
  return isApiPath(pathname) ? "api" : "site";
}
