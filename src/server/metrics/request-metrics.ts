import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { Counter, Histogram, Registry } from "prom-client";
import type { Observer } from "../../activity/activity.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { matchPath, pathOf, requestKind, type ServiceEndpoint } from "../../routes/registry.ts";
import { isApiPath } from "../files/file-cache.ts";

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
