import type { RevisitBody, RevisitPlan, RevisitResult } from "../../ledger/rows/rows.ts";

/** The plans and results of a ledger, in row order. */
export class RevisitRows {
  readonly plans: { readonly row: number; readonly body: RevisitPlan }[] = [];
  readonly results: { readonly row: number; readonly body: RevisitResult }[] = [];

  add(row: number, body: RevisitBody): void {
    if (body.step === "plan") this.plans.push({ row, body });
    else this.results.push({ row, body });
  }
}
