import { BoundedCache } from "../kernel/bounded-cache.ts";
import type { PlainMessage } from "./plain-message.ts";

/** The package's text before the members of a result, and from there to the id. */
interface Envelope {
  readonly head: string;
  readonly middle: string;
}

const MAX_ENVELOPES = 500;
/** No known client sends a longer one. */
const MAX_LENGTH = 2000;
const END = "}";

/**
 * Envelopes that the protocol's package has accepted. The package takes longer than most tools, and its judgment depends on
 * the envelope alone: so it judges each one once, and later results are put into the text that it wrote around the first.
 */
export class KnownEnvelopes {
  readonly #known = new BoundedCache<string, Envelope>(MAX_ENVELOPES);

  /** Makes the package's answer for a message of the members of a result; undefined for an envelope that it has not accepted. */
  answerOf({ envelope, id }: PlainMessage): ((members: string) => string) | undefined {
    const known = this.#known.get(envelope);
    return known && ((members) => `${known.head}${members}${known.middle}${JSON.stringify(id)}${END}`);
  }

  /** Learns from the package's answer with these members of a result. Any other answer teaches nothing. */
  learn({ envelope, id }: PlainMessage, members: string, answer: string): void {
    const end = `${JSON.stringify(id)}${END}`;
    const at = answer.indexOf(members);
    if (at < 0 || !answer.endsWith(`"id":${end}`) || envelope.length > MAX_LENGTH) return;
    const middle = answer.slice(at + members.length, -end.length);
    this.#known.set(envelope, { head: answer.slice(0, at), middle });
  }
}
