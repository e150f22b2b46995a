/** A record's brand and organizations as the operator states them (interface 2.4). None of it is inferred. */
import { z } from "zod";
import { OperatorError } from "../kernel/errors.ts";
import type { IdentityBody } from "../ledger/rows/rows.ts";
import { assertExpected } from "./check.ts";
import type { Desk, Outcome } from "./desk.ts";
import type { Decider } from "./moves.ts";
import { recordOf, recordRow } from "./request.ts";

const Code = z.string().regex(/^[a-z][a-z0-9_]{1,39}$/, { error: "small letters, digits and _, 2 to 40" });
const Name = z.string().trim().min(1).max(120);
const PublicId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{2,63}$/, { error: "small letters, digits, _ and -, 3 to 64" });
const Domain = z
  .string()
  .max(253)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, { error: "a domain such as example.org" });
const Link = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), { error: "holds a user name" });

const Brand = z.strictObject({ public_id: PublicId, name: Name, canonical_domain: Domain });
const Organization = z.strictObject({
  relationship_type: Code,
  public_id: PublicId,
  name: Name,
  organization_type: Code,
  canonical_domain: Domain,
});

const Identity = z.strictObject({
  scope: Code,
  brand: Brand.nullable(),
  organizations: z.array(Organization).max(10),
  same_as: z.array(Link).max(20),
});
export type Identity = z.infer<typeof Identity>;

export interface IdentityTexts {
  readonly scope: string;
  /** "id|name|domain" */
  readonly brand?: string | undefined;
  /** "relationship|id|name|type|domain" each */
  readonly organizations: readonly string[];
  readonly sameAs: readonly string[];
}

const BRAND_FIELDS = ["public_id", "name", "canonical_domain"];
const ORGANIZATION_FIELDS = [
  "relationship_type",
  "public_id",
  "name",
  "organization_type",
  "canonical_domain",
];

/** Throws OperatorError that names the option and the part that is wrong. */
export function readIdentity({ scope, brand, organizations, sameAs }: IdentityTexts): Identity {
  const parsed = Identity.safeParse({
    scope,
    brand: brand === undefined ? null : parts("--brand", brand, BRAND_FIELDS),
    organizations: organizations.map((text) => parts("--organization", text, ORGANIZATION_FIELDS)),
    same_as: sameAs,
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new OperatorError(`identity: ${issue?.path.join(".")}: ${issue?.message}`);
}

function parts(option: string, text: string, names: readonly string[]): Record<string, string> {
  const values = text.split("|");
  if (values.length !== names.length)
    throw new OperatorError(`${option}: give ${names.length} parts, divided by |: ${names.join("|")}`);
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
}

export interface IdentityChange {
  readonly subject: string;
  readonly identity: Identity | null; // null: clear
  readonly decider: Decider;
  readonly expect?: number | undefined;
}

/** Within a transaction of the ledger. Throws OperatorError as `Desk.take`. */
export function takeIdentity(desk: Desk, { subject, identity, decider, expect }: IdentityChange): Outcome {
  const target = recordRow(subject, desk.sources);
  const record = recordOf(target, desk.sources);
  const last = desk.state.decisionsAbout(target).findLast((row) => row.kind === "identity");
  if (record.merge !== undefined)
    throw new OperatorError(
      `record ${target} was merged into row ${record.merge.into}: decide about that one`,
    );
  if (isSame(record.identity, identity)) {
    if (last !== undefined) return { done: "already", row: last.id };
    throw new OperatorError(`record ${target} has no identity that could be cleared`);
  }
  assertExpected(target, expect, desk.state);
  const body = identity ?? { scope: null, brand: null, organizations: [], same_as: [] };
  return {
    done: "decided",
    row: desk.append({ kind: "identity", body: { record: target, ...body, ...decider } }),
  };
}

function isSame(before: IdentityBody | null, now: Identity | null): boolean {
  if (before === null || now === null) return before === now;
  const { scope, brand, organizations, same_as } = before;
  const known = Identity.safeParse({ scope, brand, organizations, same_as });
  return known.success && JSON.stringify(known.data) === JSON.stringify(Identity.parse(now));
}
