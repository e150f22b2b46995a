import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Webhook as Verifier } from "standardwebhooks";
import { portOf } from "../../../src/kernel/port.ts";

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly id: string;
  readonly body: string;
}

type Answer = (received: ReceivedWebhook, response: ServerResponse) => void;

/** For tests: a receiver of webhooks on this machine that answers as it is told. */
export class WebhookSink implements AsyncDisposable {
  readonly received: ReceivedWebhook[] = [];
  answer: Answer = (_, response) => response.writeHead(204).end();
  readonly #server: Server;
  readonly #scheme: "http" | "https";

  private constructor(tls: { readonly key: string; readonly cert: string } | undefined) {
    this.#scheme = tls === undefined ? "http" : "https";
    this.#server = tls === undefined ? createServer() : createTlsServer(tls);
    this.#server.on("request", async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const received = {
        headers: request.headers,
        path: request.url ?? "",
        id: String(request.headers["webhook-id"]),
        body: Buffer.concat(chunks).toString("utf8"),
      };
      this.received.push(received);
      this.answer(received, response);
    });
  }

  static async start(tls?: { readonly key: string; readonly cert: string }): Promise<WebhookSink> {
    const sink = new WebhookSink(tls);
    sink.#server.listen(0, "127.0.0.1");
    await once(sink.#server, "listening");
    return sink;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${portOf(this.#server)}/hook`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** The message, as the library reads it that receivers use. It throws when the signature is not good, and looks at the clock of the machine. */
export function verified(secret: string, { body, headers }: ReceivedWebhook): unknown {
  const signed = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, String(headers[name])]),
  );
  return new Verifier(secret).verify(body, signed);
}

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly source: string; // headers and body as they came
}

type Refusal = { readonly code: number; readonly at: "RCPT" | "DATA" | "MAIL" };

/** For tests: a mail server on this machine. It can be stopped, and started again on the same port. */
export class MailSink implements AsyncDisposable {
  readonly received: ReceivedMail[] = [];
  refuse: (to: string) => Refusal | undefined = () => undefined;
  #server: SMTPServer | undefined;
  #port = 0;

  static async start(): Promise<MailSink> {
    const sink = new MailSink();
    await sink.restart();
    return sink;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}?ignoreTLS=true`;
  }

  async restart(): Promise<void> {
    const server = new SMTPServer(this.#options());
    server.on("error", () => undefined); // clients that go away
    server.listen(this.#port, "127.0.0.1");
    await once(server.server, "listening");
    this.#port = portOf(server.server);
    this.#server = server;
  }

  stop(): Promise<void> {
    return new Promise((resolve) =>
      this.#server === undefined ? resolve() : this.#server.close(() => resolve()),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #options(): SMTPServerOptions {
    const refusal = (to: string, at: Refusal["at"]) => {
      const refused = this.refuse(to);
      if (refused?.at !== at) return null;
      return Object.assign(new Error(`refused <${to}>`), { responseCode: refused.code });
    };
    return {
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      closeTimeout: 100,
      onMailFrom: (_, __, done) => done(refusal("", "MAIL")),
      onRcptTo: ({ address }, _, done) => done(refusal(address, "RCPT")),
      onData: async (stream, session, done) => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const refused = refusal(to[0] ?? "", "DATA");
        if (refused === null) this.received.push({ to, source: Buffer.concat(chunks).toString("utf8") });
        done(refused);
      },
    };
  }
}
