import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { portOf } from "../../../src/kernel/port.ts";

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly text: string; // head and body, with the line breaks of the transfer encoding undone
}

interface MailboxOptions extends Pick<SMTPServerOptions, "secure" | "key" | "cert"> {
  readonly port?: number; // any free one unless given
}

/** A mail server of the test's own, which takes everything, with every user and password. */
export class Mailbox implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...options,
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
      onData: (stream, session, done) => {
        buffer(stream).then((bytes) => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          this.mails.push({ to, text: decoded(bytes.toString("utf8")) });
          done();
        }, done);
      },
    });
  }

  static async open({ port = 0, ...options }: MailboxOptions = {}): Promise<Mailbox> {
    const mailbox = new Mailbox(options);
    mailbox.#server.listen(port, "127.0.0.1");
    await once(mailbox.#server.server, "listening");
    return mailbox;
  }

  get url(): string {
    return `smtp://127.0.0.1:${portOf(this.#server.server)}`;
  }

  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.to.includes(address));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

/** Quoted-printable, as far as addresses of links need it. */
function decoded(text: string): string {
  return text
    .replace(/=\r?\n/g, "")
    .replace(/\r?\n[ \t]+/g, " ")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
