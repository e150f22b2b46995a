/** The view of the queue as the desk has it: read anew whenever it changed, and dropped as soon as it is gone, since an erasure may have emptied it. */
import { OperatorError } from "../kernel/errors.ts";
import type { Log } from "../kernel/log.ts";
import { type DeskResult, generationOf, type ReviewQueue, readQueue, readResults } from "./crossing.ts";

type QueueItem = ReviewQueue["items"][number];
type QueueGroup = ReviewQueue["groups"][number];

/** What a reviewer decides about at once: an item that is asked by itself, or a group of items. */
export interface Entry {
  readonly id: string;
  readonly asked: QueueItem | QueueGroup;
  /** What a decision names, so that nobody decides about something that they did not see. */
  readonly version: string;
  readonly members: readonly string[]; // items of a group
}

export function isGroup(asked: QueueItem | QueueGroup): asked is QueueGroup {
  return "key" in asked;
}

export interface View {
  readonly queue: ReviewQueue;
  readonly entries: ReadonlyMap<string, Entry>; // in the order in which they are worked through
  readonly samples: ReadonlyMap<string, QueueItem>; // every item that the view has
}

export class ViewSource {
  readonly #paths: { readonly queue: string; readonly results: string };
  readonly #log: Log;
  #queue: Read<View> = { generation: undefined, value: undefined };
  #results: Read<readonly DeskResult[]> = { generation: undefined, value: undefined };

  constructor(paths: { readonly queue: string; readonly results: string }, log: Log) {
    this.#paths = paths;
    this.#log = log;
  }

  /** Undefined before the first view, and while an erasure runs. */
  current(): View | undefined {
    this.#queue = this.#readAgain(this.#queue, this.#paths.queue, (path) => {
      const queue = readQueue(path);
      return queue === undefined ? undefined : viewOf(queue);
    });
    return this.#queue.value;
  }

  results(): readonly DeskResult[] {
    this.#results = this.#readAgain(this.#results, this.#paths.results, readResults);
    return this.#results.value ?? NONE;
  }

  /** A file that cannot be read counts as missing, and is named once. */
  #readAgain<T>(before: Read<T>, path: string, read: (path: string) => T | undefined): Read<T> {
    const generation = generationOf(path);
    if (generation === before.generation) return before;
    if (generation === undefined) return { generation, value: undefined };
    try {
      return { generation, value: read(path) };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      this.#log.error("view_not_readable", { fault: error.message });
      return { generation, value: undefined };
    }
  }
}

const NONE: readonly DeskResult[] = [];

interface Read<T> {
  readonly generation: string | undefined;
  readonly value: T | undefined;
}

/** Groups first, the largest first: one decision answers most there. */
function viewOf(queue: ReviewQueue): View {
  const groups = queue.groups
    .toSorted((a, b) => b.items - a.items)
    .map((group): Entry => {
      const { key: id, version } = group;
      return { id, asked: group, version, members: queue.members[id] ?? [] };
    });
  const items = queue.items
    .filter(({ asked_in }) => asked_in === null)
    .map((item): Entry => ({ id: item.id, asked: item, version: String(item.version), members: [] }));
  return {
    queue,
    entries: new Map([...groups, ...items].map((entry) => [entry.id, entry])),
    samples: new Map(queue.items.map((item) => [item.id, item])),
  };
}
