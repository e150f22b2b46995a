/** Reasons that last only while they hold; what another check found stays until a review restores the row. */
const PASSING: ReadonlySet<string> = new Set(["not_established", "suspended", "affiliated"]);

/** Whether what a check found stays, and waits for a review. */
export function isLasting(check: string): boolean {
  return !PASSING.has(check);
}
