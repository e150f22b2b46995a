import { OperatorError } from "../kernel/errors.ts";

/**
 * What can happen to each thing that has a life of its own: the only list, shown in docs/states.md. Moves of subscriptions, webhooks
 * and reports are no rows of the ledger (src/state), and stand here so that one page has them all.
 */
export interface Move {
  readonly move: string;
  readonly from: readonly string[];
  /** Null: what it was before the move that is taken back. */
  readonly to: string | null;
  readonly by: string;
}

const OPEN_ENTITY = ["unclaimed", "claimed", "verified"];
const STANDING_ASSET = ["active", "stale"];

export const MOVES = {
  entity: [
    { move: "claim", from: ["unclaimed"], to: "claimed", by: "`presence record claim`" },
    { move: "verify", from: ["claimed"], to: "verified", by: "`presence record verify`" },
    { move: "dissolve", from: OPEN_ENTITY, to: "dissolved", by: "`presence record dissolve`" },
    { move: "reopen", from: ["dissolved"], to: null, by: "`presence record reopen`" },
    { move: "join", from: [...OPEN_ENTITY, "dissolved"], to: "merged", by: "`presence review join`" },
    { move: "take the join back", from: ["merged"], to: null, by: "`presence review join --undo`" },
  ],
  integrity: [
    { move: "flag", from: ["clear"], to: "flagged", by: "`presence review flag`" },
    { move: "unflag", from: ["flagged"], to: "clear", by: "`presence review unflag`" },
  ],
  asset: [
    { move: "retire", from: STANDING_ASSET, to: "retired", by: "`presence review retire`" },
    { move: "unretire", from: ["retired"], to: "active", by: "`presence review unretire`" },
    { move: "keep", from: STANDING_ASSET, to: "active", by: "`presence review reject retire-ROW`" },
    { move: "not seen for long", from: ["active"], to: "stale", by: "the methodology, from dates alone" },
    { move: "seen again", from: ["stale"], to: "active", by: "the methodology, from dates alone" },
  ],
  observation: [
    {
      move: "corroborate",
      from: ["provisional"],
      to: "corroborated",
      by: "the methodology, from another observer's observation",
    },
    {
      move: "verify",
      from: ["provisional", "corroborated", "rejected"],
      to: "verified",
      by: "`presence review accept ROW`",
    },
    {
      move: "reject",
      from: ["provisional", "corroborated", "verified"],
      to: "rejected",
      by: "`presence review reject ROW`",
    },
  ],
  "set-aside observation": [
    {
      move: "confirm",
      from: ["set_aside", "restored"],
      to: "confirmed",
      by: "`presence review accept set-aside-ROW`",
    },
    {
      move: "restore",
      from: ["set_aside", "confirmed"],
      to: "restored",
      by: "`presence review reject set-aside-ROW`",
    },
  ],
  "raised item": [
    { move: "handle", from: ["open"], to: "handled", by: "`presence review accept independence-KEY`" },
    { move: "dismiss", from: ["open"], to: "harmless", by: "`presence review reject independence-KEY`" },
  ],
  "record of an observation": [
    { move: "split", from: ["own", "moved"], to: "moved", by: "`presence review split`" },
    { move: "take the split back", from: ["moved"], to: null, by: "`presence review split --undo`" },
  ],
  "name of a record": [
    { move: "rename", from: ["chosen", "given"], to: "given", by: "`presence review rename`" },
    { move: "take the name back", from: ["given"], to: "chosen", by: "`presence review rename --undo`" },
  ],
  "two records": [
    { move: "keep apart", from: ["unrelated"], to: "apart", by: "`presence review apart`" },
    { move: "take it back", from: ["apart"], to: "unrelated", by: "`presence review apart --undo`" },
  ],
  "city denominator": [
    { move: "review", from: ["unreviewed"], to: "reviewed", by: "`presence city review`" },
    { move: "replace", from: ["unreviewed", "reviewed"], to: "unreviewed", by: "`presence city cells`" },
  ],
  "city publication": [
    { move: "publish", from: ["unpublished"], to: "published", by: "`presence city publish`" },
    { move: "unpublish", from: ["published"], to: "unpublished", by: "`presence city unpublish`" },
  ],
  "city collection": [
    { move: "pause", from: ["active"], to: "paused", by: "`presence city pause`" },
    { move: "resume", from: ["paused"], to: "active", by: "`presence city resume`" },
  ],
  "city launch": [{ move: "launch", from: ["preview"], to: "launched", by: "`presence city launch`" }],
  subscription: [
    {
      move: "confirm",
      from: ["pending", "unsubscribed"],
      to: "active",
      by: "the link in the confirmation email",
    },
    { move: "pause", from: ["active"], to: "paused", by: "its owner, or an email that came back" },
    { move: "resume", from: ["paused"], to: "active", by: "its owner" },
    {
      move: "unsubscribe",
      from: ["pending", "active", "paused"],
      to: "unsubscribed",
      by: "its owner; permanent",
    },
  ],
  report: [
    { move: "resolve", from: ["open"], to: "resolved", by: "`presence report resolve`" },
    {
      move: "resolve again",
      from: ["resolved"],
      to: "resolved",
      by: "`presence report resolve --again`; earlier decisions stay on its record",
    },
  ],
  webhook: [
    { move: "answer the challenge", from: ["pending"], to: "active", by: "the receiver" },
    {
      move: "disable",
      from: ["pending", "active"],
      to: "disabled",
      by: "its owner, an address that is gone, or many failures",
    },
    { move: "register again", from: ["disabled"], to: "pending", by: "its owner" },
  ],
} as const satisfies Readonly<Record<string, readonly Move[]>>;

export type Subject = keyof typeof MOVES;

function movesFrom(subject: Subject, state: string): string[] {
  const moves: readonly Move[] = MOVES[subject];
  return moves.filter(({ from }) => from.includes(state)).map(({ move }) => move);
}

/** `label` begins the message. Throws OperatorError that names what is allowed instead. */
export function assertMove(subject: Subject, move: string, state: string, label: string): void {
  const allowed = movesFrom(subject, state);
  if (allowed.includes(move)) return;
  const moves: readonly Move[] = MOVES[subject];
  const needed = moves.filter((each) => each.move === move).flatMap(({ from }) => from);
  throw new OperatorError(
    `${label} is ${state}: "${move}" is for what is ${needed.join(" or ")}; allowed now: ${allowed.join(", ") || "nothing"}`,
  );
}
