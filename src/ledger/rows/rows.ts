/**
 * The public body of every row kind (design 5). A body is one disclosure: it is published next to the tree while the row is
 * live, and everything that a public number depends on is in one of these. Row ids are positions in the ledger, from 1.
 */
import { z } from "zod";
import {
  AssetType,
  CheckpointType,
  EntityStatus,
  Environment,
  LookSpan,
  PresenceKind,
  SourceType,
  Vetting,
} from "../../contract/enums.ts";
import { FACTS_OF_OLDER_ROWS, StatedFacts } from "../../contract/records/observation.ts";
import type { PrivateValues } from "./digests.ts";

const RowId = z.int().positive();
const Instant = z.iso.datetime();

/** A sighting. Places and times are already cut to what may be public, by asset type (design 5). */
const WholeObservation = z.object({
  accepted_at: Instant, // the UTC day
  asset: RowId,
  asset_type: AssetType,
  city: z.string(),
  /** Whether it counts as independent evidence, as decided when the row entered; `recount` rows change it. */
  counts: z.boolean(),
  derived_from_archive: z.boolean(),
  h3_cell: z.string(), // resolution 8; resolution 5 for mobile assets
  is_synthetic: z.boolean(),
  legibility: z.number().nullable(), // one decimal
  methodology_version: z.string(),
  observed_at: Instant, // start of the city's solar day
  observer_tag: z.string(), // of the principal; BUILT_IN for the built-in sources
  presence_kind: PresenceKind,
  ...StatedFacts.shape,
  record: RowId,
  /** The source's id where it may be named, BUILT_IN for a built-in source; null where it may not. */
  source: z.string().nullable(),
  source_type: SourceType,
});
export const ObservationBody = z.preprocess(
  (body) => ({ ...FACTS_OF_OLDER_ROWS, ...Object(body) }),
  WholeObservation,
);

/** What a record is, for good. What it is called is said by `naming` rows. */
export const RecordBody = z.object({
  city: z.string(),
  is_synthetic: z.boolean(),
  public_id: z.string(),
});

export const AssetBody = z.object({
  asset_type: AssetType,
  is_mobile: z.boolean(),
  public_id: z.string(),
  record: RowId,
});

const Decided = {
  reason: z.string(),
  reviewer: z.string(), // a role, never a person
};

/** Rows that no reviewer decided, such as the registration of a city, do not say who decided, and why. */
const MaybeDecided = { reason: Decided.reason.optional(), reviewer: Decided.reviewer.optional() };

/**
 * How a record is shown; the last live one about it is in effect, and the first stands directly behind the record's own row. With a
 * reviewer it is a reviewer's, and holds until a later one takes it back.
 */
export const NamingBody = z.object({
  industry: z.string().nullable(), // ISIC Rev. 5 code
  industry_method: z.enum(["declared", "name_rule", "unclassified"]),
  match_review: z.boolean(), // its match waits for review until settled
  name: z.string(),
  ...MaybeDecided,
  record: RowId,
  website: z.string().nullable(),
});

/** A reviewer's decision that an observation is one of another record or asset; the last live one about it counts. */
export const ReassignBody = z.object({
  asset: RowId,
  observer_tag: z.string(), // of its principal at that record; BUILT_IN for the built-in sources
  ...Decided,
  record: RowId,
  target: RowId, // the observation
});

/** A reviewer's decision. It is reversed only by another row; the last one of its kind about a target counts. */
export const ReviewBody = z.object({
  decision: z.enum([
    "verify",
    "reject",
    "retire",
    "unretire",
    "flag",
    "unflag",
    "classify",
    "settle_match",
    "merge",
    "unmerge", // the record stands alone again
    "apart", // two records that look like one are two businesses
    "unapart",
    "admit", // a line that was held is taken in: `target` is its observation
    "dismiss", // a line that was held is not taken in: `target` is the row of its city
    "withdraw", // a record or an asset that only an undone batch made leaves the public, for good
  ]),
  industry: z.string().nullable(), // classify: the ISIC code
  into: RowId.nullable(), // merge: the record that stays; unmerge, apart, unapart: the other record
  ...Decided,
  tags: z.record(z.string(), z.string()).nullable(), // merge: old observer tag -> new one
  target: RowId, // the observation, asset, record or city decided about
});

/** The last one about a record counts as a whole. Without a scope it takes back what was said: nothing is reviewed then. */
export const IdentityBody = z.object({
  ...MaybeDecided,
  brand: z.object({ public_id: z.string(), name: z.string(), canonical_domain: z.string() }).nullable(),
  organizations: z.array(
    z.object({
      relationship_type: z.string(),
      public_id: z.string(),
      name: z.string(),
      organization_type: z.string(),
      canonical_domain: z.string(),
    }),
  ),
  record: RowId,
  same_as: z.array(z.string()),
  scope: z.string().nullable(),
});

export const StatusBody = z.object({
  ...MaybeDecided,
  record: RowId,
  status: EntityStatus,
});

const CityDetails = z.object({
  cells: z.array(z.string()), // the manifest of eligible resolution-8 cells, compacted by h3 compactCells, sorted
  country: z.string(),
  country_name: z.string(),
  geoname_id: z.int(),
  lat: z.number(),
  lng: z.number(),
  name: z.string(),
  region: z.string(),
  region_code: z.string(),
  weights: z.array(z.int().positive()).optional(), // of the cells in their sorted list, whole cells of resolution 8; 1 each without
});

/**
 * `register` adds a city (published, collecting, not launched, denominator unreviewed), and once more replaces its list of eligible cells;
 * `outline` replaces its area, and the list with it; the other steps change one thing.
 */
export const CityBody = z.object({
  city: z.string(), // slug
  details: CityDetails.nullable(), // on `register` and `outline` only
  ...MaybeDecided,
  step: z.enum(["register", "outline", "review", "publish", "unpublish", "pause", "resume", "launch"]),
});

/** The manifest of a sealed range of rows (interface 2.14); all but `external_proof`, which is kept outside the tree. */
export const SealBody = z.object({
  canonicalization_version: z.string(),
  checkpoint_type: CheckpointType,
  created_at: Instant,
  date: z.iso.date(),
  environment: Environment,
  first_observation_id: RowId,
  hash_algorithm: z.string(),
  last_ledger_hash: z.string(),
  last_observation_id: RowId,
  leaf_count: z.int().positive(),
  manifest_sha256: z.string(),
  merkle_root: z.string(),
  previous_manifest_sha256: z.string().nullable(),
  signing_key_id: z.string(),
});

const SourceDetails = z.object({
  asset_types: z.array(AssetType), // that it can plausibly see
  consent: z.string(), // reference of the consent on file
  kind: SourceType,
  licence: z.string(), // reference of the licence on file
  name: z.string().nullable(), // null: the operator keeps it private
  operator: z.string().nullable(), // likewise
  vetting: Vetting,
});

/** `add` registers a source; the other steps change its state. */
export const SourceBody = z.object({
  details: SourceDetails.nullable(), // add only
  source: z.string(), // slug
  step: z.enum(["add", "suspend", "resume", "withdraw"]),
});

/** The public code of rows that stopped counting because their whole batch was undone. */
export const BATCH_UNDONE = "batch_undone";

/**
 * A later change of whether one observation counts. It is appended when its keyed delay is over, and at once where it has a code. A
 * release applies the last one about its target.
 */
export const RecountBody = z.object({
  code: z.literal(BATCH_UNDONE).optional(),
  counts: z.boolean(), // from now on
  target: RowId, // observation
});

/** Observations set aside in a month, by check; counts under a minimum are null. */
export const TallyBody = z.object({
  checks: z.array(
    z.object({ check: z.string(), restored: z.int().nullable(), set_aside: z.int().nullable() }),
  ),
  /** Of a random sample of set-aside observations: how many a reviewer judged, and how many were false alarms. */
  sample: z.object({ false_alarms: z.int(), reviewed: z.int() }),
  month: z.string(), // 2026-11
  vouched: z.array(z.object({ observers: z.int().nullable(), source: z.string() })), // at the end of the month
});

/** Names rows whose salts and values are deleted; never a record, a place or a name. */
export const RedactionBody = z.object({ rows: z.array(RowId) });

/**
 * The way out of a ledger that a wrong clock took into the future: rows after this one may be dated before the rows above it.
 * `from` is the UTC day of the row above, `to` the day on which the clock was corrected.
 */
export const ClockBody = z.object({ from: z.iso.date(), to: z.iso.date() });

/**
 * Where somebody looked for fixed signs in a city in a span of its solar days, over all sources. A day has the cells in which
 * three or more principals looked, a week all cells looked at, a month those of two or more principals.
 */
export const LookBody = z.object({
  cells: z.string().regex(/^[A-Za-z0-9_-]+$/), // base64url bitmap over the city's sorted eligible cells (`cellBitmap`)
  city: z.string(),
  manifest: z.string().regex(/^[0-9a-f]{64}$/), // of that list (`cellManifestId`)
  span: LookSpan,
  start: z.iso.date(), // the solar day, the Monday of the ISO week, or the first day of the month
});

/** A drawn plan and its result are one pair by city and seal: at most one plan is made of a seal in a city. */
const RevisitOf = { city: z.string(), manifest_sha256: z.string() };

/** Signs of one type in a drawn cell. Counts, so that no row says which asset stands where. */
const FoundSigns = z.object({
  asset_type: AssetType,
  found: z.int().nonnegative(),
  matched: z.int().nonnegative(), // how many of them are listed assets
});

/**
 * A measurement of what is listed against what is there: `plan` names what the seal drew, before anybody went; `result` what was
 * found. Neither names scouts, times of day, exact places or signs.
 */
export const RevisitBody = z.discriminatedUnion("step", [
  z.object({
    step: z.literal("plan"),
    ...RevisitOf,
    assets: z.array(RowId), // sorted
    cells: z.array(z.string()), // looked-at cells of resolution 8, sorted
    methodology_version: z.string(),
  }),
  z.object({
    step: z.literal("result"),
    ...RevisitOf,
    assets: z.array(z.object({ asset: RowId, found: z.union([z.boolean(), z.literal("not_reachable")]) })),
    cells: z.array(z.object({ cell: z.string(), reached: z.boolean(), signs: z.array(FoundSigns) })),
    visited_from: z.iso.date(), // solar days of the city
    visited_until: z.iso.date(),
  }),
]);

export const ROW_BODIES = {
  observation: ObservationBody,
  record: RecordBody,
  naming: NamingBody,
  asset: AssetBody,
  reassign: ReassignBody,
  review: ReviewBody,
  identity: IdentityBody,
  status: StatusBody,
  city: CityBody,
  seal: SealBody,
  redaction: RedactionBody,
  clock: ClockBody,
  source: SourceBody,
  recount: RecountBody,
  tally: TallyBody,
  look: LookBody,
  revisit: RevisitBody,
} as const;

export type RowKind = keyof typeof ROW_BODIES;

export function isRowKind(kind: string): kind is RowKind {
  return Object.hasOwn(ROW_BODIES, kind);
}

export type ObservationBody = z.infer<typeof WholeObservation>;
export type RecordBody = z.infer<typeof RecordBody>;
export type NamingBody = z.infer<typeof NamingBody>;
export type AssetBody = z.infer<typeof AssetBody>;
export type ReassignBody = z.infer<typeof ReassignBody>;
export type ReviewBody = z.infer<typeof ReviewBody>;
export type IdentityBody = z.infer<typeof IdentityBody>;
export type StatusBody = z.infer<typeof StatusBody>;
export type CityBody = z.infer<typeof CityBody>;
export type CityDetails = z.infer<typeof CityDetails>;
export type SealBody = z.infer<typeof SealBody>;
export type ClockBody = z.infer<typeof ClockBody>;
export type SourceBody = z.infer<typeof SourceBody>;
export type RecountBody = z.infer<typeof RecountBody>;
export type TallyBody = z.infer<typeof TallyBody>;
export type LookBody = z.infer<typeof LookBody>;
export type RevisitBody = z.infer<typeof RevisitBody>;
export type RevisitPlan = Extract<RevisitBody, { step: "plan" }>;
export type RevisitResult = Extract<RevisitBody, { step: "result" }>;
export type RedactionBody = z.infer<typeof RedactionBody>;

export type BodyOf<K extends RowKind> = z.infer<(typeof ROW_BODIES)[K]>;

/** A row as readers see it. `body` is undefined once the row is redacted. */
export type LedgerRow = {
  [K in RowKind]: {
    readonly id: number;
    readonly kind: K;
    readonly acceptedAt: number; // ms, private: public only as the day
    readonly body: BodyOf<K> | undefined;
    readonly leafHash: Buffer;
  };
}[RowKind];

/** A row to append. `private` values are one disclosure each (at most four) and are never published. */
export type NewRow = {
  [K in RowKind]: {
    readonly kind: K;
    readonly body: BodyOf<K>;
    readonly private?: PrivateValues;
  };
}[RowKind];
