/**
 * The queue of the review desk as every surface shows it: `presence review list` and `show`, and the desk in the browser, which is given it as
 * JSON by the process that may read the ledger. It has what a decision needs and no more: observers are letters, places are coarse.
 */
import { z } from "zod";

export const QUEUE_VERSION = 1;

export const QUEUE_KINDS = [
  "match",
  "industry",
  "generic-name",
  "damaged-name",
  "private-name",
  "opt-out",
  "integrity",
  "retire",
  "set-aside",
  "independence",
  "report",
] as const;

const Kind = z.enum(QUEUE_KINDS);
export type QueueKind = z.infer<typeof Kind>;

const Day = z.iso.date();

/** The middle of a map cell of about 130 meters, so that a reviewer sees the street and not the door. */
const Place = z.strictObject({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) });

/** A record, a sign or a line that is asked about, or that may be the same as the one that is. */
const Subject = z.strictObject({
  row: z.int().positive().nullable(), // null: a held line, which has none
  public_id: z.string().nullable(),
  name: z.string(),
  website: z.string().nullable(),
  industry: z.strictObject({ code: z.string(), title: z.string(), method: z.string() }).nullable(),
  status: z.string().nullable(),
  names: z.array(z.strictObject({ name: z.string(), seen: z.int() })), // as lines gave them, the most frequent first
  observations: z.int(),
  counting: z.int(), // of these, those that count as independent evidence
  observers: z.array(z.strictObject({ tag: z.string(), observations: z.int() })), // "A" is the same one within an item only
  assets: z.array(z.strictObject({ type: z.string(), number: z.int() })),
  first_seen: Day.nullable(),
  last_seen: Day.nullable(),
  place: Place.nullable(), // null: vehicles only, or erased
  distance_m: z.int().nullable(), // of a candidate from the subject
});
export type QueueSubject = z.infer<typeof Subject>;

const Choice = z.strictObject({
  action: z.enum(["accept", "reject", "classify", "unflag", "unretire"]),
  label: z.string(),
  value: z.string().nullable(), // given with the action: the record that stays, the code
  needs: z.literal("industry").nullable(), // what the reviewer must name
  reasons: z.array(z.string()).nonempty(), // codes that fit, the likeliest first
  effect: z.string(), // what follows, in words
});
export type QueueChoice = z.infer<typeof Choice>;

const common = {
  kind: Kind,
  city: z.string().nullable(), // slug
  waits_since: z.iso.datetime(),
  question: z.string(),
  choices: z.array(Choice),
};

export const QueueItem = z.strictObject({
  id: z.string(),
  ...common,
  version: z.int().nullable(), // for `expect`; null: it has none
  why: z.string(),
  subject: Subject.nullable(),
  candidates: z.array(Subject),
  facts: z.array(z.strictObject({ label: z.string(), value: z.string() })),
  asked_in: z.string().nullable(), // the group that asks it; null: it is asked by itself
  groups: z.array(z.string()), // others that it can be decided with
});
export type QueueItem = z.infer<typeof QueueItem>;

/** Items that one decision answers. */
export const QueueGroup = z.strictObject({
  key: z.string(),
  ...common,
  version: z.string(), // stands for its items as they are: a decision names the version that was seen
  items: z.int(),
  cities: z.array(z.strictObject({ city: z.string().nullable(), items: z.int() })),
  sample: z.array(z.strictObject({ id: z.string(), name: z.string(), detail: z.string() })),
});
export type QueueGroup = z.infer<typeof QueueGroup>;

export const ReviewQueue = z.strictObject({
  queue_version: z.literal(QUEUE_VERSION),
  made_at: z.iso.datetime(),
  last_row: z.int(), // of the ledger that it was made from
  counts: z.array(
    z.strictObject({ kind: Kind, decisions: z.int(), items: z.int(), groups: z.int(), changes: z.string() }),
  ),
  groups: z.array(QueueGroup),
  items: z.array(QueueItem), // those that are asked by themselves, and some of each group
  members: z.record(z.string(), z.array(z.string())), // group -> its items
  not_asked: z.array(z.strictObject({ what: z.string(), number: z.int(), why: z.string() })),
});
export type ReviewQueue = z.infer<typeof ReviewQueue>;
