import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Observer } from "../../activity/activity.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import { isAccountRequest } from "../accounts.ts";
import { isApiPath } from "../files/site-path.ts";
import { isMcp } from "../mcp-route.ts";
import { type Family, Histogram } from "./metrics-text.ts";

type RequestClass = "probe" | "mcp" | "accounts" | "api" | "site" | "broken";

/** Seconds: files take well below a millisecond, reads with arguments some, and nothing longer than the limit of a read. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Whoever asks went away before the answer was whole; nginx's number. */
const ABORTED = 499;

/** Counts requests by class and status: labels of a closed list, and nothing of a client among them. Hands all on to the next observer. */
export class RequestMetrics implements Observer {
  readonly #next: Observer;
  readonly #requests = new Map<string, { class: RequestClass; status: number; count: number }>();
  readonly #latency = new Map<RequestClass, Histogram>();

  constructor(next: Observer) {
    this.#next = next;
  }

  answered(request: IncomingMessage, response: ServerResponse, startedAt: number): void {
    this.#count(classOf(request), response.statusCode, startedAt);
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
    this.#add("broken", status);
    this.#next.broken(status, socket);
  }

  families(): Family[] {
    return [
      {
        name: "presence_requests_total",
        type: "counter",
        help: "Requests answered, by class and status.",
        samples: [...this.#requests.values()].map(({ class: kind, status, count }) => ({
          labels: { class: kind, status: String(status) },
          value: count,
        })),
      },
      {
        name: "presence_request_seconds",
        type: "histogram",
        help: "Time from a request to the end of its answer.",
        samples: [...this.#latency].flatMap(([kind, histogram]) => histogram.samples({ class: kind })),
      },
    ];
  }

  #count(kind: RequestClass, status: number, startedAt: number): void {
    this.#add(kind, status);
    let histogram = this.#latency.get(kind);
    if (histogram === undefined) {
      histogram = new Histogram(BOUNDS);
      this.#latency.set(kind, histogram);
    }
    histogram.observe((performance.now() - startedAt) / SECOND_MS);
  }

  #add(kind: RequestClass, status: number): void {
    const key = `${kind} ${status}`;
    const counted = this.#requests.get(key);
    if (counted === undefined) this.#requests.set(key, { class: kind, status, count: 1 });
    else counted.count += 1;
  }
}

function classOf(request: IncomingMessage): RequestClass {
  const { url = "" } = request;
  if (url === "/healthz" || url === "/readyz") return "probe";
  if (isMcp(url)) return "mcp";
  if (isAccountRequest(request)) return "accounts";
  return isApiPath(url) ? "api" : "site";
}
