/** Asks addresses and their certificates, for the doctor. Nothing here rejects, and nothing waits for long. */
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { beginningOf, fetchFailure } from "../../kernel/public-fetch.ts";

/** What an address answered; a text says why it did not. */
export type Answer = { readonly status: number; readonly body: string } | string;

/** Asks an address. Never rejects. */
export type Ask = (url: string) => Promise<Answer>;

export interface Certificate {
  readonly endsAt: number; // ms
  readonly problem: string | undefined; // why clients refuse it
}

/** The certificate of a host; a text says why there is none. Never rejects. */
export type AskCertificate = (host: string, port: number) => Promise<Certificate | string>;

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1000;

export const ask: Ask = async (url) => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { signal, redirect: "manual" });
    return { status: response.status, body: (await beginningOf(response, MAX_BYTES)).toString("utf8") };
  } catch (error) {
    return fetchFailure(error);
  }
};

export const askCertificate: AskCertificate = (host, port) => {
  const name = host.replace(/^\[(.*)\]$/, "$1");
  return new Promise((resolve) => {
    const socket = connect({
      host: name,
      port,
      ...(isIP(name) === 0 && { servername: name }),
      rejectUnauthorized: false, // a refused certificate is read, too
      timeout: TIMEOUT_MS,
    });
    const end = (found: Certificate | string) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("secureConnect", () => end(certificateOf(socket)));
    socket.once("timeout", () => end("no answer in time"));
    socket.once("error", (error) => end(fetchFailure(error)));
  });
};

function certificateOf(socket: TLSSocket): Certificate | string {
  const { valid_to } = socket.getPeerCertificate();
  const endsAt = Date.parse(valid_to);
  if (!Number.isFinite(endsAt)) return "the server shows none";
  const problem = socket.authorized ? undefined : String(socket.authorizationError);
  return { endsAt, problem };
}
