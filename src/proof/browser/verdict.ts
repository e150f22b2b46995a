import type { StepReport } from "./outcome.ts";
import type { Question } from "./question.ts";
import { STEPS } from "./steps.ts";

export interface Verdict {
  readonly state: "passed" | "passed in part" | "withdrawn" | "failed" | "could not check";
  readonly says: string;
}

/** The conclusion from the reports of all steps; it claims no more than they checked. */
export function verdictOf({ row, knownKey }: Question, reports: readonly StepReport[]): Verdict {
  const stop = reports.find(({ state }) => state !== "passed");
  if (stop?.state === "failed")
    return {
      state: "failed",
      says: `Row ${row} did not pass the step “${titleOf(stop)}”. ${stop.says} ${UNTIL_EXPLAINED}`,
    };
  const passed = new Set(reports.filter(({ state }) => state === "passed").map(({ step }) => step));
  if (!passed.has("path"))
    return {
      state: "could not check",
      says: `Row ${row} could not be checked. ${stop?.says ?? ""} ${NO_FINDING}`,
    };
  const signer = knownKey === "" ? "this site's key" : "the key that you entered";
  const stands = `Row ${row} is in the tree signed by ${signer}`;
  const consistent = knownKey === "" ? ` ${SAME_SITE}` : "";
  if (stop?.state === "withdrawn")
    return { state: "withdrawn", says: `${stands}. ${stop.says}${consistent}` };
  if (!passed.has("disclosure"))
    return { state: "passed in part", says: `${stands}. Its contents were not checked.${consistent}` };
  if (!passed.has("published"))
    return {
      state: "passed in part",
      says: `${stands}, and its leaf commits to the text below. The record's list was not checked.${consistent}`,
    };
  if (!passed.has("related"))
    return {
      state: "passed in part",
      says: `${stands}, its leaf commits to the text below, and the record's list matches the row. Record, asset and changes were not checked. ${stop?.says ?? ""}${consistent}`,
    };
  const related = reports.find(({ step }) => step === "related")?.says ?? "";
  return {
    state: "passed",
    says: `${stands}, its leaf commits to the text below, and the record's list matches. ${related}${consistent}`,
  };
}

const UNTIL_EXPLAINED = "Do not rely on this row until that is explained.";
const NO_FINDING = "This says nothing for or against the row.";
const SAME_SITE =
  "The key also came from this site, so this shows only that the site is consistent with itself.";

function titleOf({ step }: StepReport): string {
  return STEPS.find(({ name }) => name === step)?.title ?? step;
}
