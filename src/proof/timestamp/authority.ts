import { type Bytes, sha256 } from "../../kernel/hash.ts";
import type { RandomBytes } from "../../kernel/ids.ts";

/** The authority gave no answer that could be read: it is down, slow, or not a timestamp authority. Try again later. */
export class TimestampUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampUnavailable";
  }
}

/** There is an answer, and it proves nothing. The text says exactly what is wrong with it. */
export class TimestampInvalid extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TimestampInvalid";
  }
}

/** Text from an authority or a certificate, made fit for a line on a terminal. */
export function plainLine(text: string): string {
  return text
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 200);
}

export interface TimestampQuery {
  readonly body: Buffer; // DER of a TimeStampReq
  readonly nonce: Buffer; // 8 bytes; an answer must repeat it
}

const NONCE_BYTES = 8;

/** What stands before the hash: SEQUENCE, version 1, message imprint with the identifier of SHA-256 (RFC 3161, 2.4.1). */
const HEAD = Buffer.from("30430201013031300d060960864801650304020105000420", "hex");
const CERTIFICATE_WANTED = Buffer.from("0101ff", "hex");

/** Asks for a stamp over SHA-256 of `message`, with the authority's certificate in the answer. */
export function timestampQuery(message: Bytes, random: RandomBytes): TimestampQuery {
  const nonce = Buffer.from(random(NONCE_BYTES));
  nonce[0] = 1 + ((nonce[0] ?? 0) % 0x7f); // positive, and the shortest form of its number
  const integer = Buffer.from([0x02, NONCE_BYTES]);
  return { body: Buffer.concat([HEAD, sha256(message), integer, nonce, CERTIFICATE_WANTED]), nonce };
}

interface TimestampRequest {
  readonly url: string; // http or https
  readonly body: Uint8Array; // DER of a TimeStampReq
  readonly timeoutMs?: number; // for the whole exchange
}

export const ANSWER_LIMIT = 64 * 1024; // bytes; real answers have 1 to 8 kB
const TIMEOUT_MS = 10_000;

/** Servers that say nothing about the type, or no more than "bytes", are heard; a web page is not. */
const ANSWER_TYPES = ["application/timestamp-reply", "application/octet-stream", ""];

/**
 * Posts a query to the authority (RFC 3161, 3.4) and returns the answer's bytes, unread.
 * Throws TimestampUnavailable without a usable answer: no connection, too slow, redirected, refused, too long.
 */
export async function requestTimestamp({
  url,
  body,
  timeoutMs = TIMEOUT_MS,
}: TimestampRequest): Promise<Buffer> {
  const { protocol, host } = URL.parse(url) ?? { protocol: "", host: "no address" };
  if (protocol !== "https:" && protocol !== "http:")
    throw new TimestampUnavailable(`${host}: a time-stamp authority is asked by http or https only`);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/timestamp-query", accept: "application/timestamp-reply" },
      body: new Uint8Array(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const refusal = refusalOf(answer);
    if (refusal === undefined) return await readCapped(answer);
    await answer.body?.cancel();
    throw new TimestampUnavailable(refusal);
  } catch (error) {
    throw new TimestampUnavailable(`${host}: ${reason(error, timeoutMs)}`, { cause: error });
  }
}

function refusalOf(answer: Response): string | undefined {
  if (answer.status >= 300 && answer.status < 400)
    return `answered with a redirect (${answer.status}), which is not followed`;
  if (answer.status !== 200) return `answered with HTTP status ${answer.status}`;
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (ANSWER_TYPES.includes(type.trim().toLowerCase())) return undefined;
  return `answered with ${plainLine(type)}, not with a timestamp`;
}

async function readCapped(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > ANSWER_LIMIT)
      throw new TimestampUnavailable(`answered with more than ${ANSWER_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reason(error: unknown, timeoutMs: number): string {
  if (error instanceof TimestampUnavailable) return error.message;
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} seconds`;
  const { cause } = error;
  const detail = cause instanceof Error && "code" in cause ? String(cause.code) : error.message;
  return `could not be reached (${plainLine(detail)})`;
}
