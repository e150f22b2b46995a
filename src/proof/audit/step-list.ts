/** How a step ended: `not checked` needs a step that did not pass. */
export interface CheckedStep {
  readonly step: string;
  readonly state: "passed" | "failed" | "not checked";
  readonly says: string;
}

/** Result of a passed step: a sentence for the report, and a value for later steps. */
export interface Passed<Found> {
  readonly says: string;
  readonly found: Found;
}

class NotChecked extends Error {}

/** Steps of a check, some of which need what others found. A step that fails ends only those that need it. */
export class StepList {
  readonly #outcomes: Promise<CheckedStep>[] = [];

  /** The result of the step. It rejects in steps that need it when there is none, and nowhere else. */
  run<Found>(step: string, check: () => Promise<Passed<Found>>): Promise<Found> {
    const outcome = check();
    this.#outcomes.push(
      outcome.then(
        ({ says }) => ({ step, state: "passed", says }),
        (error) => failedStep(step, error),
      ),
    );
    const found = outcome.then(
      (passed) => passed.found,
      () => {
        throw new NotChecked();
      },
    );
    found.catch(() => undefined);
    return found;
  }

  /** A step that no other needs. `check` returns what it says. */
  end(step: string, check: () => Promise<string>): void {
    void this.run(step, async () => ({ says: await check(), found: undefined }));
  }

  /** All steps, in the order in which they were begun. */
  all(): Promise<CheckedStep[]> {
    return Promise.all(this.#outcomes);
  }
}

function failedStep(step: string, error: unknown): CheckedStep {
  if (error instanceof NotChecked)
    return { step, state: "not checked", says: "it needs a step that did not pass" };
  return { step, state: "failed", says: error instanceof Error ? error.message : String(error) };
}
