/** Passkeys (WebAuthn): enrolment with a link that works once, and signing in. A challenge is good once and for minutes. */
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { z } from "zod";
import { PublicError } from "../kernel/errors.ts";
import { sha256, sha256Hex } from "../kernel/hash.ts";
import { type Clock, SECOND_MS } from "../kernel/time.ts";
import type { DeskStore, Person } from "./desk-store.ts";

const CHALLENGE_MS = 300 * SECOND_MS;
const MAX_CHALLENGES = 1000;
/** EdDSA, ES256 and RS256 of COSE: all that today's devices make. */
const ALGORITHMS = [-8, -7, -257];
const NAME = "Presence review desk";

const Text = z.string().max(20_000);
const Common = { id: Text, rawId: Text, type: z.literal("public-key") };
const Extensions = z.looseObject({});

const Registered = z.object({
  ...Common,
  clientExtensionResults: Extensions,
  response: z.object({ clientDataJSON: Text, attestationObject: Text }),
});
const Asserted = z.object({
  ...Common,
  clientExtensionResults: Extensions,
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: Text.exactOptional(),
  }),
});

export interface PasskeyDeps {
  readonly store: DeskStore;
  readonly clock: Clock;
  /** Of the desk's address: https://desk.example.org. Its host is the name that passkeys belong to. */
  readonly origin: string;
}

export class Passkeys {
  readonly #deps: PasskeyDeps;
  readonly #host: string;
  /** Challenge -> what it was given out for, and until when it is good. */
  readonly #challenges = new Map<string, { readonly purpose: string; readonly until: number }>();

  constructor(deps: PasskeyDeps) {
    this.#deps = deps;
    this.#host = new URL(deps.origin).hostname;
  }

  /** Throws PublicError 403 for a link that was used or is too old. */
  async beginEnrolment(token: string) {
    const link = sha256Hex(token);
    const person = this.#personOf(link);
    const options = await generateRegistrationOptions({
      rpName: NAME,
      rpID: this.#host,
      userName: person.name,
      userID: new Uint8Array(sha256(`desk-person-${person.id}`)),
      attestationType: "none",
      supportedAlgorithmIDs: ALGORITHMS,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: this.#deps.store.passkeysOf(person.id).map((id) => ({ id })),
    });
    this.#give(options.challenge, link);
    return options;
  }

  /** Who is enrolled. Throws PublicError 403 for anything that does not belong to the link and the challenge. */
  async finishEnrolment(token: string, answer: unknown): Promise<Person> {
    const { store, clock, origin } = this.#deps;
    const link = sha256Hex(token);
    const person = this.#personOf(link);
    const response: RegistrationResponseJSON = shaped(Registered, answer);
    const { registrationInfo } = await refusing(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: (challenge) => this.#take(challenge, link),
        expectedOrigin: origin,
        expectedRPID: this.#host,
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (registrationInfo === undefined) throw refusal();
    const { id, publicKey, counter } = registrationInfo.credential;
    if (
      store.passkey(id) !== undefined ||
      !store.enrol(link, { id, person: person.id, publicKey, counter }, clock())
    )
      throw refusal();
    return person;
  }

  async beginSignIn() {
    const options = await generateAuthenticationOptions({ rpID: this.#host, userVerification: "required" });
    this.#give(options.challenge, SIGN_IN);
    return options;
  }

  /** The passkey that signed, with its new counter. */
  async finishSignIn(answer: unknown) {
    const response: AuthenticationResponseJSON = shaped(Asserted, answer);
    const passkey = this.#deps.store.passkey(response.id);
    if (passkey === undefined) throw refusal();
    const { verified, authenticationInfo } = await refusing(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: (challenge) => this.#take(challenge, SIGN_IN),
        expectedOrigin: this.#deps.origin,
        expectedRPID: this.#host,
        credential: { ...passkey, publicKey: new Uint8Array(passkey.publicKey) },
      }),
    );
    if (!verified) throw refusal();
    return { ...passkey, counter: authenticationInfo.newCounter };
  }

  #personOf(link: string): Person {
    const person = this.#deps.store.personOfLink(link, this.#deps.clock());
    if (person !== undefined) return person;
    throw new PublicError(403, "this link was used before, or is too old: ask for a new one");
  }

  #give(challenge: string, purpose: string): void {
    const now = this.#deps.clock();
    for (const [old, { until }] of this.#challenges)
      if (until <= now || this.#challenges.size >= MAX_CHALLENGES) this.#challenges.delete(old);
    this.#challenges.set(challenge, { purpose, until: now + CHALLENGE_MS });
  }

  #take(challenge: string, purpose: string): boolean {
    const given = this.#challenges.get(challenge);
    this.#challenges.delete(challenge);
    return given !== undefined && given.purpose === purpose && given.until > this.#deps.clock();
  }
}

const SIGN_IN = "sign-in";

function refusal(cause?: unknown): PublicError {
  const error = new PublicError(403, "this passkey is not known here, or its answer is not valid");
  error.cause = cause;
  return error;
}

function shaped<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new PublicError(400, "this is not what a browser says of a passkey");
}

/** The library throws for everything that is wrong with an answer. */
async function refusing<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (cause) {
    throw refusal(cause);
  }
}
