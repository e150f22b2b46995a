import { inTransaction, type Store } from "../store.ts";
import { compact } from "./compact.ts";
import { eraseSubject } from "./erase-subject.ts";
import { findSubject, isEmpty, type SubjectData, subjectCode } from "./subject-data.ts";

export type SubjectErasure =
  | { readonly outcome: "erased"; readonly data: SubjectData }
  /** Something came or went since the code was printed. */
  | { readonly outcome: "changed" };

/** Answers people who ask what is stored about them, or want it deleted. */
export class Subjects {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  find(email: string): Promise<SubjectData> {
    return findSubject(this.#store, email);
  }

  /** Erases what the code names, all or nothing. Once it is erased, any code succeeds, so that a killed command can be repeated. */
  erase(email: string, code: string): Promise<SubjectErasure> {
    return inTransaction(this.#store, async (store) => {
      const data = await findSubject(store, email);
      if (!isEmpty(data) && subjectCode(data) !== code) return { outcome: "changed" };
      await eraseSubject(store, data);
      return { outcome: "erased", data };
    });
  }

  /** See compact.ts. */
  compact(): Promise<boolean> {
    return compact(this.#store);
  }
}
