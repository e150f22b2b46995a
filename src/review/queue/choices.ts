/** What a reviewer can answer to each kind of question, with the reasons that fit and what follows. */
import { findIndustry } from "../../contract/cities/industry.ts";
import type { Item } from "../items.ts";
import type { Reason } from "../moves.ts";
import type { QueueChoice, QueueKind, QueueSubject } from "./model.ts";

interface Answer extends Omit<QueueChoice, "reasons" | "value" | "needs"> {
  readonly reasons: readonly [Reason, ...Reason[]];
  readonly value?: string | null;
  readonly needs?: "industry";
}

function choice({ reasons, value = null, needs, ...answer }: Answer): QueueChoice {
  return { ...answer, value, needs: needs ?? null, reasons: [...reasons] };
}

export interface Asked {
  readonly item: Pick<Item, "about"> & { readonly kind: QueueKind };
  readonly subject: QueueSubject | null;
  readonly candidates: readonly QueueSubject[];
}

type Asks = Readonly<
  Record<QueueKind, { question: (asked: Asked) => string; choices: (asked: Asked) => QueueChoice[] }>
>;

export function questionOf(asked: Asked): string {
  return ASKS[asked.item.kind].question(asked);
}

export function choicesOf(asked: Asked): QueueChoice[] {
  return ASKS[asked.item.kind].choices(asked);
}

const CLASSIFY = choice({
  action: "classify",
  label: "Another industry",
  needs: "industry",
  reasons: ["industry_corrected"],
  effect: "the industry that you name is published as reviewed, and counts for the ranking",
});

const NO_INDUSTRY = choice({
  action: "reject",
  label: "No industry can be given",
  reasons: ["industry_unknown"],
  effect: "it is published without an industry, and is not ranked",
});

const TAKEN_IN = "the line becomes a row with this name when the day of your decision is sealed";
const NOT_TAKEN_IN = "the line is never taken in, and is deleted";

/** Of a held line: what accepting and rejecting mean for the reason why it is held. */
function held(
  question: (name: string) => string,
  [accept, accepted]: readonly [string, Answer["reasons"]],
  [reject, rejected]: readonly [string, Answer["reasons"]],
): Asks[QueueKind] {
  return {
    question: ({ subject }) => question(subject?.name ?? ""),
    choices: () => [
      choice({ action: "accept", label: accept, reasons: accepted, effect: TAKEN_IN }),
      choice({ action: "reject", label: reject, reasons: rejected, effect: NOT_TAKEN_IN }),
    ],
  };
}

const ASKS: Asks = {
  match: {
    question: matchQuestion,
    choices: ({ candidates }) => [
      ...candidates.map((candidate) =>
        choice({
          action: "accept",
          label: `One business: join with ${named(candidate)}`,
          value: candidate.public_id,
          reasons: ["same_business"],
          effect: `it counts for ${named(candidate)} from the next release on, and its address leads there`,
        }),
      ),
      choice({
        action: "reject",
        label: candidates.length > 1 ? "None of them: another business" : "Two businesses",
        reasons: ["different_businesses"],
        effect: "both stay as they are, and nobody is asked about them again",
      }),
    ],
  },
  industry: {
    question: ({ item, subject }) =>
      (item.about.observations ?? []).length > 0
        ? `Lines name several industries for ${named(subject)}: is it ${industryOf(subject)}?`
        : `Is ${named(subject)} ${industryOf(subject)}?`,
    choices: ({ subject }) => [
      choice({
        action: "accept",
        label: `Yes: ${industryOf(subject)}`,
        reasons: ["industry_confirmed"],
        effect: "it is published as reviewed, and counts for the ranking",
      }),
      CLASSIFY,
      NO_INDUSTRY,
    ],
  },
  "generic-name": held(
    (name) => `Is “${name}” the name of one business?`,
    ["It names one business", ["name_identifies"]],
    ["It could be anyone", ["name_too_generic", "wrong_subject"]],
  ),
  "damaged-name": held(
    (name) => `Is “${name}” right as it stands?`,
    ["It is right", ["checked_genuine", "picture_clear"]],
    ["It is damaged", ["picture_unclear", "wrong_subject"]],
  ),
  "private-name": held(
    (name) => `May “${name}” be published as it is?`,
    ["It holds nothing of a person", ["checked_genuine", "name_identifies"]],
    ["It holds details of a person", ["wrong_subject"]],
  ),
  "opt-out": held(
    (name) => `Is “${name}” another business than the one that opted out there?`,
    ["It is another business", ["different_businesses"]],
    ["It is the one that opted out", ["owner_request", "same_business"]],
  ),
  integrity: {
    question: ({ subject }) => `Is the evidence of ${named(subject)} genuine?`,
    choices: () => [
      choice({
        action: "accept",
        label: "Genuine: remove the flag",
        reasons: ["checked_genuine"],
        effect: "the record may be ranked again; to keep it out, leave the flag and reject observations",
      }),
    ],
  },
  retire: {
    question: ({ subject }) => `Is this sign of ${named(subject)} gone?`,
    choices: () => [
      choice({
        action: "accept",
        label: "It is gone",
        reasons: ["taken_down"],
        effect: "the sign is published as retired, whoever reports it, until a reviewer takes that back",
      }),
      choice({
        action: "reject",
        label: "It is still there",
        reasons: ["still_there"],
        effect: "its state follows from its observations again",
      }),
    ],
  },
  "set-aside": {
    question: ({ subject }) => `Was this observation of ${named(subject)} set aside rightly?`,
    choices: () => [
      choice({
        action: "accept",
        label: "Rightly",
        reasons: ["suspicious_pattern"],
        effect: "it stays set aside, and counts as judged in the published rate of false alarms",
      }),
      choice({
        action: "reject",
        label: "Wrongly: it is independent evidence",
        reasons: ["checked_genuine"],
        effect: "it counts again, by a row of the ledger within 1 to 14 days",
      }),
    ],
  },
  independence: {
    question: () => "Is this pattern a problem?",
    choices: () => [
      choice({
        action: "accept",
        label: "A problem, and dealt with",
        reasons: ["suspicious_pattern"],
        effect: "the item is closed; rejecting, suspending and flagging are decisions of their own",
      }),
      choice({
        action: "reject",
        label: "Harmless",
        reasons: ["checked_genuine"],
        effect: "the item is closed, and nothing changes",
      }),
    ],
  },
  report: { question: () => "Is what was reported right?", choices: () => [] },
};

function matchQuestion({ subject, candidates }: Asked): string {
  const [only, ...others] = candidates;
  if (only === undefined) return `Is ${named(subject)} a business of its own?`;
  if (others.length > 0) return `Is ${named(subject)} one of these ${candidates.length}?`;
  const away = only.distance_m === null ? "" : `, ${only.distance_m} m away`;
  return `Is ${named(subject)} the same business as ${named(only)}${away}?`;
}

function named(subject: QueueSubject | null): string {
  return subject === null ? "this record" : `“${subject.name}”`;
}

function industryOf(subject: QueueSubject | null): string {
  const code = subject?.industry?.code;
  return code === undefined ? "of no known industry" : industryText(code);
}

export function industryText(code: string): string {
  return `${code} (${findIndustry(code)?.title ?? "unknown"})`;
}
