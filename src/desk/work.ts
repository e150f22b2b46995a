/** How reviewers work through the queue: who gets which entry, what is decided and undone, and what became of it. */
import { PublicError } from "../kernel/errors.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import { type Clock, SECOND_MS } from "../kernel/time.ts";
import { type DeskDecision, type DeskResult, type DeskRole, needsLead, writeDecision } from "./crossing.ts";
import type { DeskStore, Person, StoredDecision } from "./desk-store.ts";
import { type Entry, isGroup, type View, type ViewSource } from "./view.ts";

export interface WorkDeps {
  readonly store: DeskStore;
  readonly view: ViewSource;
  /** Folder that the ledger's user takes decisions from. */
  readonly decisions: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** How long a decision can be undone, in ms. */
  readonly undoMs: number;
}

/** Who asks. */
export interface Reviewer {
  readonly person: Person;
  readonly session: string; // hash of its token
}

export interface Wanted {
  readonly kind?: string | undefined;
  readonly city?: string | undefined;
  /** This one and no other. */
  readonly entry?: string | undefined;
  /** What the reviewer goes on looking at. */
  readonly keep: readonly string[];
  readonly skip: readonly string[];
}

export interface Answer {
  readonly subject: string;
  /** The version that was shown. */
  readonly version: string;
  /** Which of the choices, from 0. */
  readonly choice: number;
  readonly reason: string;
  readonly value?: string | undefined; // where the choice needs one
}

export interface Shown extends StoredDecision {
  readonly message: string | null;
}

export const LEASE_MS = 300 * SECOND_MS;
const SHOWN_DECISIONS = 12;

function mayDecide(role: DeskRole, { asked }: Entry): boolean {
  return role === "lead" || !needsLead(asked.kind, isGroup(asked) ? asked.items : 1);
}

export class Work {
  readonly #deps: WorkDeps;
  #settled: readonly DeskResult[] | undefined;

  constructor(deps: WorkDeps) {
    this.#deps = deps;
  }

  isReady(): boolean {
    return this.#deps.view.current() !== undefined;
  }

  /** Throws PublicError 503 before the first view, and while an erasure runs. */
  view(): View {
    const view = this.#deps.view.current();
    if (view !== undefined) return view;
    throw new PublicError(503, "the queue is being rebuilt: try again in a moment");
  }

  /** What the reviewer may decide and nobody has decided, without what others have, in order. */
  waiting({ person, session }: Reviewer, { kind, city }: Pick<Wanted, "kind" | "city"> = {}): Entry[] {
    const view = this.view();
    const taken = this.#taken(view, session);
    return [...view.entries.values()].filter((entry) => {
      const { asked } = entry;
      if ((kind ?? asked.kind) !== asked.kind || (city ?? asked.city) !== asked.city) return false;
      return (
        asked.choices.length > 0 && // others are for the command line
        mayDecide(person.role, entry) &&
        !taken.has(entry.id) &&
        !entry.members.some((each) => taken.has(each))
      );
    });
  }

  /** The next entry, which is the reviewer's for a while. Undefined when nothing is left. Throws PublicError 409 where another one has what is wanted. */
  next(reviewer: Reviewer, wanted: Wanted): Entry | undefined {
    const { store, clock } = this.#deps;
    const view = this.view();
    const kept = wanted.keep.flatMap((id) => leasedIds(view.entries.get(id)));
    store.keepOnly(reviewer.session, kept);
    const passed = new Set([...wanted.keep, ...wanted.skip]);
    const candidates =
      wanted.entry === undefined
        ? this.waiting(reviewer, wanted).filter(({ id }) => !passed.has(id))
        : this.waiting(reviewer).filter(({ id }) => id === wanted.entry);
    const now = clock();
    const entry = candidates.find((each) =>
      store.lease(reviewer.session, leasedIds(each), { now, until: now + LEASE_MS }),
    );
    if (entry !== undefined || wanted.entry === undefined) return entry;
    throw new PublicError(409, "it no longer waits, or another reviewer has it");
  }

  /** Keeps a decision, durably. Throws PublicError 409 for what changed meanwhile, 403 for what is not the reviewer's to decide. */
  decide({ person, session }: Reviewer, answer: Answer): { readonly id: string; readonly due_at: number } {
    const { store, clock, undoMs, random } = this.#deps;
    const now = clock();
    const view = this.view();
    const entry = view.entries.get(answer.subject);
    if (entry?.version !== answer.version)
      throw new PublicError(409, "it changed meanwhile, or somebody else decided it: look at it again");
    if (!mayDecide(person.role, entry)) throw new PublicError(403, "this can only be decided by a lead");
    if (!store.lease(session, leasedIds(entry), { now, until: now + LEASE_MS }))
      throw new PublicError(409, "another reviewer has it by now: nothing was saved");
    const id = random(16).toString("hex");
    const decision = decisionOf(entry, answer, { id, at: now, by: person.role });
    if (!store.decide(person.id, now + undoMs, decision))
      throw new PublicError(409, "somebody else decided it meanwhile: nothing was saved");
    return { id, due_at: now + undoMs };
  }

  /** The subject, which waits again and is the reviewer's. Throws PublicError 409 when it is too late. */
  undo({ person, session }: Reviewer, id: string): string {
    const subject = this.#deps.store.undo(id, person.id);
    if (subject === undefined) throw new PublicError(409, "too late to undo: it is on its way to the ledger");
    const now = this.#deps.clock();
    const entry = this.view().entries.get(subject);
    this.#deps.store.lease(session, leasedIds(entry), { now, until: now + LEASE_MS });
    return subject;
  }

  /** What became of a reviewer's last decisions. */
  decisions({ person }: Reviewer): Shown[] {
    const messages = new Map(this.#deps.view.results().map(({ id, message }) => [id, message]));
    return this.#deps.store
      .decisionsOf(person.id, SHOWN_DECISIONS)
      .map((decision) => ({ ...decision, message: messages.get(decision.id) ?? null }));
  }

  /** Hands over what can no longer be undone, and takes in what became of the rest. What it throws, the next call tries again. */
  tick(): void {
    const { store, view, decisions, clock } = this.#deps;
    view.current(); // drops a view that is gone
    const results = view.results();
    store.settle(results === this.#settled ? [] : results, clock());
    this.#settled = results;
    for (const decision of store.due(clock())) {
      writeDecision(decisions, decision);
      store.sent(decision.id, clock());
    }
  }

  /** Decided about and not written yet, or with another session. */
  #taken(view: View, session: string): Set<string> {
    const { store, clock } = this.#deps;
    const open = [...store.open()].flatMap((id) => [id, ...(view.entries.get(id)?.members ?? [])]);
    return new Set([...open, ...store.leasedByOthers(session, clock())]);
  }
}

/** A group is taken with all of its items. */
function leasedIds(entry: Entry | undefined): string[] {
  return entry === undefined ? [] : [entry.id, ...entry.members];
}

const CODE_OR_NONE = /^(\d{2,4}|none)$/;

/** Throws PublicError 400 for what the entry does not offer. */
function decisionOf(
  entry: Entry,
  { choice: number, reason, value }: Answer,
  made: { readonly id: string; readonly at: number; readonly by: DeskRole },
): DeskDecision {
  const choice = entry.asked.choices[number];
  if (choice === undefined || !choice.reasons.includes(reason))
    throw new PublicError(400, "there is no such choice, or not for that reason");
  if (choice.needs === "industry" && (value === undefined || !CODE_OR_NONE.test(value)))
    throw new PublicError(400, "give the code of an industry: 2 to 4 digits, or none");
  if (choice.needs === null && value !== undefined) throw new PublicError(400, "this choice takes no value");
  const common = { format: 1, reason, ...made } as const;
  const said = { action: choice.action, value: choice.needs === null ? choice.value : (value ?? null) };
  const { id: subject, asked } = entry;
  return isGroup(asked)
    ? { ...common, ...said, kind: "group", subject, version: asked.version }
    : { ...common, ...said, kind: "item", subject, expect: asked.version };
}
