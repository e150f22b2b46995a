import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { portOf } from "../../../src/kernel/port.ts";
import type { OnlineSubject } from "../../../src/operations/online/run-checks.ts";
import { WebReader } from "../../../src/operations/online/website-probe.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** For tests: a web server on this machine that answers as it is told, and has no `robots.txt` unless it is told so. */
export class TestSite implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly agents = new Set<string | undefined>();
  mostAtOnce = 0;
  answer: Answer = (_, response) => response.end("<h1>Corner Bakery</h1>");
  robots: Answer = (_, response) => response.writeHead(404).end();
  readonly #server: Server;
  #open = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      this.agents.add(request.headers["user-agent"]);
      this.#open += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
      response.on("close", () => {
        this.#open -= 1;
      });
      const answer = request.url === "/robots.txt" ? this.robots : this.answer;
      answer(request, response);
    });
  }

  static async start(): Promise<TestSite> {
    const site = new TestSite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  url(path = "/"): string {
    return `http://127.0.0.1:${portOf(this.#server)}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** A reader that may read this machine, is soon tired of waiting and makes no pauses. */
export function testReader(changes: { timeoutMs?: number; allowLoopback?: boolean } = {}): WebReader {
  return new WebReader({
    userAgent: "PresenceOnlineCheck/1.0 (+https://example.org/)",
    timeoutMs: 2000,
    pause: async () => undefined,
    allowLoopback: true,
    ...changes,
  });
}

export function subject(changes: Partial<OnlineSubject> = {}): OnlineSubject {
  return {
    record: 1,
    name: "Corner Bakery House",
    city: "Avalon",
    website: null,
    phone: undefined,
    lastCheck: undefined,
    ...changes,
  };
}
