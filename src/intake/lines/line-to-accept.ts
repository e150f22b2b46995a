import type { ObservationInput } from "./observation-input.ts";
import { packed, unpacked } from "./packed.ts";
import { type CheckedLine, namedSource } from "./sighting.ts";

type Checked = Pick<
  CheckedLine,
  "line" | "key" | "content" | "beginning" | "nameKey" | "contacts" | "cell" | "place"
>;

/** What the acceptor reads of every line. The input is JSON until somebody asks for it: nearly no line's is. */
export interface LineToAccept extends Checked {
  readonly source: string | undefined; // that the line names
  readonly source_type: ObservationInput["source_type"];
  readonly json: string; // the input, as it is kept
  readonly input: ObservationInput;
}

type Facts = Omit<LineToAccept, "json" | "input">;

/** The checked line with its input as JSON alone: a batch keeps many thousand lines, and strings cost the garbage collector least. */
export function lineToAccept({ line, input, key, content, ...checked }: CheckedLine): LineToAccept {
  const { beginning, nameKey, contacts, cell, place } = checked;
  const { source_type } = input;
  const source = namedSource(input);
  const facts = { line, key, content, beginning, nameKey, contacts, cell, place, source, source_type };
  return new KeptLine(facts, JSON.stringify(input));
}

/** Lines as texts for another thread (see `packed`). */
export function packLinesToAccept(lines: readonly LineToAccept[]): string[] {
  return packed(lines.map((line) => [line, line.json] as const));
}

/** The lines that `packLinesToAccept` packed. */
export function* unpackLinesToAccept(pieces: Iterable<string>): Generator<LineToAccept> {
  for (const [facts, json] of unpacked<Facts>(pieces)) yield new KeptLine(facts, json);
}

/** Its JSON text as an object is that of the facts: they are its own members. */
class KeptLine implements LineToAccept {
  readonly line: number;
  readonly key: string;
  readonly content: string;
  readonly beginning: string | undefined;
  readonly nameKey: string;
  readonly contacts: readonly string[];
  readonly cell: string;
  readonly place: string;
  readonly source: string | undefined;
  readonly source_type: ObservationInput["source_type"];
  readonly #json: string;
  #input: ObservationInput | undefined;

  constructor(facts: Facts, json: string) {
    this.line = facts.line;
    this.key = facts.key;
    this.content = facts.content;
    this.beginning = facts.beginning;
    this.nameKey = facts.nameKey;
    this.contacts = facts.contacts;
    this.cell = facts.cell;
    this.place = facts.place;
    this.source = facts.source;
    this.source_type = facts.source_type;
    this.#json = json;
  }

  get json(): string {
    return this.#json;
  }

  get input(): ObservationInput {
    const input: ObservationInput = this.#input ?? JSON.parse(this.#json);
    this.#input = input;
    return input;
  }
}
