import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { portOf } from "../../../src/kernel/port.ts";

export type Answer = (query: Buffer, response: ServerResponse) => void;

/** For tests: a web server that answers each query as the test says. */
export class TestAuthorityServer implements AsyncDisposable {
  readonly queries: Buffer[] = [];
  /** What comes next; a test may change it at any time. */
  answer: Answer;
  readonly #server: Server;

  constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer(async (request, response) => {
      const query = await buffer(request);
      this.queries.push(query);
      this.answer(query, response);
    });
  }

  static async start(answer: Answer): Promise<TestAuthorityServer> {
    const started = new TestAuthorityServer(answer);
    started.#server.listen(0, "127.0.0.1");
    await once(started.#server, "listening");
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}/stamp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Answers with these bytes as an authority does. */
export function replying(reply: (query: Buffer) => Uint8Array): Answer {
  return (query, response) =>
    response.writeHead(200, { "content-type": "application/timestamp-reply" }).end(reply(query));
}
