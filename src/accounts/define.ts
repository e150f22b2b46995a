import type { z } from "zod";
import type { AccountOperation } from "../contract/accounts/account-operations.ts";
import type { PathNames } from "../kernel/text/path-template.ts";
import type { PartnerClient } from "../state/partners/partners.ts";
import type { AccountDeps } from "./account-deps.ts";
import { parseFields } from "./request-fields.ts";

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
