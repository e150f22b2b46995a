import type { RemovalOutcome, RemovalProof, RemovalStatus } from "../contract/accounts/removals.ts";
import type { RemovalReasonCode } from "../contract/enums.ts";
import { REMOVAL, REMOVALS_KEPT_DAYS } from "../contract/limits.ts";
import { hmacSha256 } from "../kernel/hash.ts";
import { base32, newPublicId } from "../kernel/ids.ts";
import { answerer } from "../kernel/table.ts";
import { DAY_MS, SECOND_MS } from "../kernel/time.ts";
import { affected, inTransaction, type Store } from "./store.ts";
import { type Row, STATE_TABLES } from "./tables.ts";

/** Where a proof was found, or that a reviewer entered the code. */
type ProvenBy = NonNullable<Row<"removals">["proven_by"]>;

export type Removal = ReturnType<typeof removalOf>;

const contentOf = answerer(STATE_TABLES.removals);

export function removalOf(row: Row<"removals">) {
  return { ...contentOf(row), status: statusOf(row), hasCode: row.code_hash !== null };
}

function statusOf({ outcome, requested_at, proven_at }: Row<"removals">): RemovalStatus {
  if (outcome !== null) return outcome;
  if (requested_at !== null) return "requested";
  return proven_at === null ? "unproven" : "proven";
}

export type CheckStart =
  | { readonly outcome: "allowed"; readonly removal: Removal }
  | { readonly outcome: "too_soon"; readonly waitMs: number }
  | { readonly outcome: "too_often" };

export type CodeResult = "proven" | "wrong_code" | "no_code";

const CODE_BYTES = 10; // 16 characters
const NO_CODE = { code_hash: null, code_expires_at: null } as const;

/** Requests of owners to remove a record, from their start to the reviewer's decision. Only the sender knows the id of a request. */
export class Removals {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async start(record: string, proof: RemovalProof): Promise<Removal> {
    const { db, clock, random } = this.#store;
    const row = {
      public_id: newPublicId("rm", random),
      record,
      proof,
      created_at: clock(),
      expires_at: clock() + REMOVAL.provenWithinDays * DAY_MS,
      checks: 0,
      code_attempts: 0,
    };
    return removalOf(await db.insertInto("removals").values(row).returningAll().executeTakeFirstOrThrow());
  }

  /** Undefined for an unknown id, and for an unproven request whose time is over. */
  async get(publicId: string): Promise<Removal | undefined> {
    const { db, clock } = this.#store;
    const row = await db
      .selectFrom("removals")
      .selectAll()
      .where("public_id", "=", publicId)
      .where((each) => each.or([each("proven_at", "is not", null), each("expires_at", ">", clock())]))
      .executeTakeFirst();
    return row && removalOf(row);
  }

  /** The longest waiting first; without `all`, those that somebody has to act on. */
  async list(all = false): Promise<Removal[]> {
    const { db, clock } = this.#store;
    const rows = await db
      .selectFrom("removals")
      .selectAll()
      .orderBy("created_at")
      .orderBy("public_id")
      .execute();
    const found = rows.filter((row) => row.proven_at !== null || row.expires_at > clock()).map(removalOf);
    return all ? found : found.filter(({ status, proof }) => isWaiting(status, proof));
  }

  /** Counts a look for the token, which asks a stranger's server: a request may do so now and then, not at will. */
  startCheck(publicId: string): Promise<CheckStart | undefined> {
    return inTransaction(this.#store, async (store) => {
      const { db, clock } = store;
      const removal = await new Removals(store).get(publicId);
      if (removal === undefined) return undefined;
      const earliest = clock() - REMOVAL.checkPauseSeconds * SECOND_MS;
      const row = await db
        .updateTable("removals")
        .set((each) => ({ checks: each("checks", "+", 1), checked_at: clock() }))
        .where("public_id", "=", publicId)
        .where("checks", "<", REMOVAL.maxChecks)
        .where((each) => each.or([each("checked_at", "is", null), each("checked_at", "<=", earliest)]))
        .returning("checks")
        .executeTakeFirst();
      if (row !== undefined) return { outcome: "allowed", removal };
      const { checks, checked_at } = await db
        .selectFrom("removals")
        .select(["checks", "checked_at"])
        .where("public_id", "=", publicId)
        .executeTakeFirstOrThrow();
      if (checks >= REMOVAL.maxChecks) return { outcome: "too_often" };
      return { outcome: "too_soon", waitMs: (checked_at ?? 0) - earliest };
    });
  }

  /** Notes a proof; the first one counts. */
  async prove(publicId: string, provenBy: ProvenBy): Promise<void> {
    const { db, clock } = this.#store;
    await db
      .updateTable("removals")
      .set({ proven_at: clock(), proven_by: provenBy, ...NO_CODE })
      .where("public_id", "=", publicId)
      .where("proven_at", "is", null)
      .execute();
  }

  /** Makes a code for a request and returns it, this once: only its keyed hash is stored. Replaces an earlier code. Undefined unless the request is unproven. */
  async issueCode(publicId: string): Promise<string | undefined> {
    const { db, clock, random } = this.#store;
    const code = base32(random(CODE_BYTES));
    const end = clock() + REMOVAL.codeDays * DAY_MS;
    const issued = await affected(
      db
        .updateTable("removals")
        .set({
          code_hash: this.#codeHash(publicId, code),
          code_expires_at: end,
          expires_at: end,
          code_attempts: 0,
        })
        .where("public_id", "=", publicId)
        .where("proven_at", "is", null)
        .where("expires_at", ">", clock()),
    );
    return issued === 0 ? undefined : inGroups(code);
  }

  /** Compares a code that came back. After too many wrong ones it is void. */
  enterCode(publicId: string, code: string): Promise<CodeResult> {
    return inTransaction(this.#store, async (store) => {
      const { db, clock } = store;
      const row = await db
        .updateTable("removals")
        .set((each) => ({ code_attempts: each("code_attempts", "+", 1) }))
        .where("public_id", "=", publicId)
        .where("proven_at", "is", null)
        .where("code_hash", "is not", null)
        .where("code_expires_at", ">", clock())
        .where("code_attempts", "<", REMOVAL.codeAttempts)
        .returning("code_hash")
        .executeTakeFirst();
      if (row === undefined) return "no_code";
      const typed = code.toLowerCase().replace(/[\s-]/g, "");
      if (row.code_hash !== this.#codeHash(publicId, typed)) return "wrong_code";
      await new Removals(store).prove(publicId, "code");
      return "proven";
    });
  }

  /** Puts a proven request before a reviewer. Undefined unless it is proven and not yet requested. */
  async request(publicId: string, reason: RemovalReasonCode): Promise<Removal | undefined> {
    const { db, clock } = this.#store;
    const row = await db
      .updateTable("removals")
      .set({ reason, requested_at: clock() })
      .where("public_id", "=", publicId)
      .where("proven_at", "is not", null)
      .where("requested_at", "is", null)
      .where("outcome", "is", null)
      .returningAll()
      .executeTakeFirst();
    return row && removalOf(row);
  }

  /** Records a decision. Undefined when there is none to make. */
  async resolve(publicId: string, outcome: RemovalOutcome, resolvedBy: string): Promise<Removal | undefined> {
    const { db, clock } = this.#store;
    const row = await db
      .updateTable("removals")
      .set({ outcome, resolved_at: clock(), resolved_by: resolvedBy, ...NO_CODE })
      .where("public_id", "=", publicId)
      .where("outcome", "is", null)
      .returningAll()
      .executeTakeFirst();
    return row && removalOf(row);
  }

  /** Deletes requests that were not proven in time, that nobody sent, and those that ended long ago; returns their number. */
  prune(): Promise<number> {
    const { db, clock } = this.#store;
    const oldest = clock() - REMOVALS_KEPT_DAYS * DAY_MS;
    return affected(
      db
        .deleteFrom("removals")
        .where((each) =>
          each.or([
            each.and([each("proven_at", "is", null), each("expires_at", "<=", clock())]),
            each.and([each("requested_at", "is", null), each("proven_at", "<=", oldest)]),
            each("resolved_at", "<=", oldest),
          ]),
        ),
    );
  }

  #codeHash(publicId: string, code: string): string {
    return hmacSha256(this.#store.keys.purposeKey("removals"), `${publicId} ${code}`).toString("hex");
  }
}

/**
 * After an opt-out: no request names the record any more. One that awaited the decision is carried out; one that nobody proved looks as
 * before, because its sender may be anybody.
 */
export async function forgetRemovalsOf({ db, clock }: Store, record: string): Promise<number> {
  await db
    .updateTable("removals")
    .set({ outcome: "carried_out", resolved_at: clock(), resolved_by: "opt-out", ...NO_CODE })
    .where("record", "=", record)
    .where("requested_at", "is not", null)
    .where("outcome", "is", null)
    .execute();
  return affected(
    db
      .updateTable("removals")
      .set({ record: null, ...NO_CODE })
      .where("record", "=", record),
  );
}

function isWaiting(status: Removal["status"], proof: RemovalProof): boolean {
  return status === "requested" || (proof === "code" && (status === "proven" || status === "unproven"));
}

/** Easier to read out: abcd-efgh-… */
function inGroups(code: string): string {
  return code.replace(/.{4}(?=.)/g, "$&-");
}
