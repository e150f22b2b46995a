/** A reviewer says how a record is called, and leaves it to the rule again. */
import { OperatorError } from "../../kernel/errors.ts";
import type { NamingBody, NewRow } from "../../ledger/rows/rows.ts";
import {
  type Correction,
  checkedNaming,
  correctionCode,
  type DeskAtWork,
  type GivenNaming,
  namingByRule,
  sightingsOf,
  standingRecord,
} from "./correction.ts";

/** Throws OperatorError for a name or a website that intake refuses, and where the record is called so already. */
export function planRename(at: DeskAtWork, subject: string, given: GivenNaming): Correction {
  const record = standingRecord(at, subject);
  const present = presentNaming(record.naming, record.body.public_id);
  const naming = checkedNaming(at.ledger, record, given, sightingsOf(at, record));
  const isReviewers = present.reviewer !== undefined;
  if (isReviewers && present.name === naming.name && present.website === naming.website)
    throw new OperatorError(`rename: a reviewer has already given ${record.body.public_id} this name`);
  const { industry, industry_method, match_review } = present;
  const said = { ...naming, industry, industry_method, match_review, record: record.id };
  return {
    ...shownRename(at, "rename", present, naming),
    notes: [
      "It holds until it is taken back with `--undo`, whatever lines say. Earlier names stay in the ledger and in citations of earlier releases.",
      "Intake knows the record by this name and website, too, where its observations were made.",
    ],
    make: (decider) => append(at, { kind: "naming", body: { ...said, ...decider } }),
  };
}

/** Throws OperatorError where no reviewer named the record. */
export function planRuleNaming(at: DeskAtWork, subject: string): Correction {
  const record = standingRecord(at, subject);
  const present = presentNaming(record.naming, record.body.public_id);
  if (present.reviewer === undefined)
    throw new OperatorError(`rename: no reviewer named ${record.body.public_id}: nothing to undo`);
  const row = namingByRule(at.ledger, record);
  return {
    ...shownRename(at, "rename taken back", present, row.body),
    notes: ["The rule for names decides again, now and later."],
    make: () => append(at, row),
  };
}

type Shown = Pick<NamingBody, "name" | "website">;

function shownRename(
  { ledger }: DeskAtWork,
  correction: string,
  before: NamingBody,
  after: Shown,
): Pick<Correction, "shown" | "code"> {
  return {
    shown: {
      correction,
      record: before.record,
      name: before.name,
      new_name: after.name,
      website: before.website,
      new_website: after.website,
    },
    code: correctionCode(ledger, [correction, before.record, after.name, after.website]),
  };
}

function append({ desk }: DeskAtWork, row: Extract<NewRow, { kind: "naming" }>): number {
  const id = desk.append(row);
  desk.teach([row.body.record]);
  return id;
}

function presentNaming(naming: NamingBody | undefined, publicId: string): NamingBody {
  if (naming === undefined) throw new OperatorError(`rename: ${publicId} has no name: it was erased`);
  return naming;
}
