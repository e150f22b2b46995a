import type { z } from "zod";
import type { AccountOperation } from "../contract/accounts/account-operations.ts";
import type { DeliverySetup } from "../contract/accounts/delivery.ts";
import { faultWords, memberNames, PLAIN_FAULTS, unknownName } from "../contract/faults.ts";
import { PublicError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import type { PathNames } from "../kernel/text/markup.ts";
import type { Clock } from "../kernel/time.ts";
import type { ReadContext } from "../resources/define.ts";
import type { EmailLimits, Withheld } from "../state/delivery/emails.ts";
import type { PartnerClient } from "../state/partners.ts";
import type { StateSource } from "./state-source.ts";
import type { WebsiteProver } from "./website-proof.ts";

/** Dependencies of the operations on subscriptions, partner accounts and reports. */
export interface AccountDeps {
  readonly state: StateSource;
  /** Of the current release: call it again after every await. Throws PublicError 503 before the first release. */
  snapshot(): ReadContext["snapshot"];
  /** Why a webhook may not have this address, as the predicate of a sentence; undefined when it may. */
  endpointProblem(url: string): string | undefined;
  /** Looks for the token of a request for removal. */
  readonly proveWebsite: WebsiteProver;
  /** The operator's delivery setup: answers promise no more than it. */
  delivery(): DeliverySetup;
  readonly emailBudgets: EmailLimits;
  /** Called for each email that a request asked for and that is not sent; the answer does not tell. */
  onWithheld(reason: Withheld): void;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** The answer of a successful operation. */
export interface Reply<Body = object> {
  readonly status: 200 | 201 | 202;
  readonly body: Body;
}

/** One request to an operation, within the client's allowance for reads. */
export interface AccountCall<Name extends string = never> {
  path(name: Name): string;
  readonly token: string; // empty for operations without one
  readonly body: unknown;
  /** Throws PublicError 401 without a key. */
  client(): PartnerClient;
  /** Takes one from a stricter allowance of the client's address. Throws PublicError 429. */
  admit(allowance: "signUps" | "reports" | "removals" | "removalChecks"): Promise<void>;
}

/** An operation as the HTTP edge calls it. */
export interface AccountHandler {
  answer(deps: AccountDeps, call: AccountCall<string>): Promise<Reply>;
}

/** Binds the handler of an operation to its contract, which names its path values and its answer. */
export function defineAccountOperation<Path extends AccountOperation["path"], Body extends object>(
  _contract: AccountOperation & { readonly path: Path; readonly wire: z.ZodType<Body> },
  answer: (deps: AccountDeps, call: AccountCall<PathNames<Path>>) => Promise<Reply<Body>>,
): AccountHandler {
  return { answer };
}

/** The same for an operation with a body, which is checked first: PublicError 400 names the field. */
export function defineAccountWrite<Schema extends z.ZodType, Body extends object>(
  { request }: AccountOperation & { readonly request: Schema; readonly wire: z.ZodType<Body> },
  answer: (deps: AccountDeps, body: z.output<Schema>, call: AccountCall) => Promise<Reply<Body>>,
): AccountHandler {
  return { answer: (deps, call) => answer(deps, parseFields(request, call.body), call) };
}

/** Parses a request body or form. Throws PublicError 400 that names the first wrong field; its detail `fields` has the first fault of each. */
export function parseFields<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new PublicError(400, "the body must be a JSON object");
  // Schemas ignore this one name.
  if (Object.hasOwn(value, "__proto__")) throw unknownName("field", ["__proto__"], []);
  const parsed = schema.safeParse(value, PLAIN_FAULTS);
  if (parsed.success) return parsed.data;
  const fields = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    if (issue.code === "unrecognized_keys") throw unknownName("field", issue.keys, memberNames(schema));
    const name = String(issue.path[0] ?? "body");
    if (!fields.has(name)) fields.set(name, faultWords(issue));
  }
  const [first] = fields;
  throw new PublicError(400, first?.join(" ") ?? "the body is invalid", {
    fields: Object.fromEntries(fields),
  });
}

export function fieldError(name: string, problem: string): PublicError {
  return new PublicError(400, `${name} ${problem}`, { fields: { [name]: problem } });
}
