import { type Members, mayComeFromScouts, NOT_REPLAYABLE, topicOf } from "./topics.ts";

export interface Difference {
  readonly file: string;
  readonly value: string; // path of names inside the file
  readonly published: unknown;
  readonly replayed: unknown;
}

interface TopicCount {
  values: number;
  differ: number;
}

/** Compares published documents with replayed ones, value by value. Owns the counts. */
export class Comparison {
  readonly differences: Difference[] = [];
  readonly topics = new Map<string, TopicCount>();
  readonly notReplayable = new Map<string, number>();
  /** Values of a patch release that are from before an erasure, by kind. They were taken as given. */
  readonly carriedOver = new Map<string, number>();
  documents = 0;
  numbers = 0;

  /** Two JSON documents. */
  json(file: string, published: unknown, replayed: unknown): void {
    this.documents += 1;
    this.#compare({ file, names: [] }, published, replayed);
  }

  /** Two texts, line by line. */
  lines(file: string, topic: string, published: string, replayed: string): void {
    this.documents += 1;
    const [ours, theirs] = [replayed.split("\n"), published.split("\n")];
    for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
      const place = { file, names: [`line ${at + 1}`] };
      this.#count(topic, place, theirs[at], ours[at]);
      this.numbers += (theirs[at]?.match(/\d+(\.\d+)?/g) ?? []).length;
    }
  }

  #compare(place: Place, published: unknown, replayed: unknown): void {
    if (isMembers(published) && isMembers(replayed)) {
      this.#compareMembers(place, published, replayed);
      return;
    }
    if (typeof published === "number") this.numbers += 1;
    this.#count(topicOf(place.names), place, published, replayed);
  }

  #compareMembers(place: Place, published: Members, replayed: Members): void {
    for (const name of new Set([...Object.keys(published), ...Object.keys(replayed)])) {
      const inner = { ...place, names: [...place.names, name] };
      const [theirs, ours] = [published[name], replayed[name]];
      if (NOT_REPLAYABLE.has(name)) this.leaveOut(name);
      else if (theirs !== ours && mayComeFromScouts(name, published, replayed)) this.leaveOut(name);
      else this.#compare(inner, theirs, ours);
    }
  }

  #count(topic: string, { file, names }: Place, published: unknown, replayed: unknown): void {
    const count = this.topics.get(topic) ?? { values: 0, differ: 0 };
    this.topics.set(topic, count);
    count.values += 1;
    if (Object.is(published, replayed) || isEmptyPair(published, replayed)) return;
    count.differ += 1;
    this.differences.push({ file, value: names.join("."), published, replayed });
  }

  carryOver(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.carriedOver.set(kind, count);
  }

  /** Notes a member or a document that no public data determines. */
  leaveOut(name: string): void {
    this.notReplayable.set(name, (this.notReplayable.get(name) ?? 0) + 1);
  }
}

interface Place {
  readonly file: string;
  readonly names: readonly string[];
}

/** The members of an object or array; an array's members are named by their index. */
function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isEmptyPair(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b) && typeof a === "object";
}
