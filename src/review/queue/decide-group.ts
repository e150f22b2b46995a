/** One decision about all items of a group: previewed first, then a row for each record, in one transaction. */
import { heldNameId, isRemembered, rememberedKey } from "../../intake/lines/held-name.ts";
import { confirmationCode } from "../../kernel/confirmation.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { utcDayStart } from "../../kernel/time.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Asked, Desk, Outcome } from "../desk.ts";
import { type Item, matchCandidates } from "../items.ts";
import type { Decider } from "../moves.ts";
import { type FilterSources, filtered, type ItemFilter } from "./groups.ts";
import type { QueueGroup } from "./model.ts";
import { groupsOf, groupVersion } from "./queue.ts";

export interface GroupRequest extends Pick<ItemFilter, "city" | "kind"> {
  readonly group: string;
  readonly action: "accept" | "reject" | "classify";
  /** `classify`: a code, or `none`. */
  readonly value?: string | undefined;
}

export interface GroupPlan {
  readonly group: QueueGroup;
  readonly label: string;
  readonly effect: string;
  /** Stands for the items and the answer. */
  readonly code: string;
  /** Within a transaction of the ledger. */
  readonly decide: (decider: Decider) => GroupOutcome;
}

export interface GroupOutcome {
  readonly decided: number;
  readonly already: number;
  /** Answered by another decision of the group. */
  readonly settled: number;
  /** Names of which later lines go the same way. */
  readonly remembered: number;
}

export interface GroupSources {
  readonly desk: Desk;
  readonly ledger: LedgerWriter;
  readonly items: readonly Item[]; // all that wait
}

/** Throws OperatorError for a group without items, or with items of several kinds, and for an answer that they do not have. */
export function planGroup({ desk, ledger, items }: GroupSources, request: GroupRequest): GroupPlan {
  const { group: key, action, value, ...filter } = request;
  const sources: FilterSources = { ...ledgerSources(desk), batches: ledger.batches };
  const own = filtered(items, { ...filter, group: key }, sources);
  assertOneKind(own, key);
  const [group] = groupsOf(sources, new Map([[key, own]]));
  const choice = group?.choices.find((each) => each.action === action);
  if (group === undefined || choice === undefined)
    throw new OperatorError(`${key}: ${action} is no answer to: ${group?.question ?? "nothing"}`);
  const ids = own.map((item) => item.item);
  return {
    group,
    label: choice.label,
    effect: choice.effect,
    code: confirmationCode([groupVersion(key, own), action, value ?? null, ids.length]),
    decide: (decider) => decideAll({ desk, ledger, items: own }, { action, value, decider }),
  };
}

function ledgerSources({ state, rows, live }: Desk) {
  return { state, rows, live };
}

function assertOneKind(items: readonly Item[], key: string): void {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  if (kinds.length === 0)
    throw new OperatorError(`${key}: no item of this group waits: see \`presence review list\``);
  if (kinds.length > 1)
    throw new OperatorError(
      `${key}: its items ask different questions (${kinds.join(", ")}): say which with --kind ${kinds[0]}`,
    );
}

type Answer = Pick<GroupRequest, "action" | "value"> & { readonly decider: Decider };

function decideAll({ desk, ledger, items }: GroupSources, answer: Answer): GroupOutcome {
  const done: Outcome["done"][] = [];
  let settled = 0;
  for (const item of items) {
    const asked = askedOf(item, answer, desk);
    if (asked === undefined) settled += 1;
    else done.push(desk.takeNext(asked, () => undefined).done);
  }
  desk.teach();
  const count = (wanted: Outcome["done"]) => done.filter((each) => each === wanted).length;
  const remembered = rememberNames(ledger, items, answer);
  return { decided: count("decided"), already: done.length - count("decided"), settled, remembered };
}

/** Undefined for a pair that an earlier pair of the group answered. */
function askedOf(item: Item, { action, value, decider }: Answer, desk: Desk): Asked | undefined {
  const { record, candidates } = item.about;
  if (item.kind !== "match") return { action, subject: subjectOf(item, action), value, decider };
  const [candidate] = candidates ?? [];
  const known = record === undefined ? undefined : desk.state.records.get(record);
  const isOpen =
    known?.merge === undefined &&
    known !== undefined &&
    matchCandidates(known, desk.state).some(({ id }) => id === candidate);
  if (!isOpen) return undefined;
  const into = action === "accept" && candidate !== undefined ? { value: String(candidate) } : {};
  return { action, subject: item.item, ...into, decider };
}

/** An industry is that of a record. */
function subjectOf({ item, about }: Item, action: GroupRequest["action"]): string {
  return action === "classify" ? String(about.record) : item;
}

/** Later lines of the held names go the same way. Returns how many names that are. */
function rememberNames(ledger: LedgerWriter, items: readonly Item[], { action, decider }: Answer): number {
  const hashed = rememberedKey(ledger.purposeKey);
  const ids = new Set(
    items.flatMap(({ city, about: { line, check } }) =>
      line === undefined || city === null || check === undefined || !isRemembered(check)
        ? []
        : [heldNameId({ city, reason: check, name: line.input.name })],
    ),
  );
  const day = utcDayStart(ledger.now());
  for (const id of ids)
    ledger.heldNames.remember({ key: hashed(id), takes: action === "accept", ...decider, day });
  return ids.size;
}
