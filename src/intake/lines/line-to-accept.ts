import type { ObservationInput } from "./observation-input.ts";
import { packed, unpacked } from "./packed.ts";
import { type CheckedLine, namedSource } from "./sighting.ts";

type Checked = Pick<CheckedLine, "line" | "key" | "content" | "nameKey" | "contacts" | "cell" | "place">;

/** What the acceptor reads of every line. The input is JSON until somebody asks for it: nearly no line's is. */
export interface LineToAccept extends Checked {
  readonly source: string | undefined; // that the line names
  readonly source_type: ObservationInput["source_type"];
  readonly json: string; // the input, as it is kept
  readonly input: ObservationInput;
}

type Facts = Omit<LineToAccept, "json" | "input">;

export function lineToAccept(checked: CheckedLine): LineToAccept {
  return { ...facts(checked), json: JSON.stringify(checked.input), input: checked.input };
}

function facts({ line, input, key, content, nameKey, contacts, cell, place }: CheckedLine): Facts {
  const { source_type } = input;
  return { line, key, content, nameKey, contacts, cell, place, source: namedSource(input), source_type };
}

/** Lines as texts for another thread (see `packed`). */
export function packLinesToAccept(lines: readonly LineToAccept[]): string[] {
  return packed(
    lines.map(({ json, input, ...each }) => each),
    (index) => lines[index]?.json ?? "",
  );
}

/** The lines that `packLinesToAccept` packed. */
export function* unpackLinesToAccept(pieces: Iterable<string>): Generator<LineToAccept> {
  for (const [each, json] of unpacked<Facts>(pieces)) yield new UnpackedLine(each, json);
}

class UnpackedLine implements LineToAccept {
  readonly line: number;
  readonly key: string;
  readonly content: string;
  readonly nameKey: string;
  readonly contacts: readonly string[];
  readonly cell: string;
  readonly place: string;
  readonly source: string | undefined;
  readonly source_type: ObservationInput["source_type"];
  readonly json: string;
  #input: ObservationInput | undefined;

  constructor(facts: Facts, json: string) {
    this.line = facts.line;
    this.key = facts.key;
    this.content = facts.content;
    this.nameKey = facts.nameKey;
    this.contacts = facts.contacts;
    this.cell = facts.cell;
    this.place = facts.place;
    this.source = facts.source;
    this.source_type = facts.source_type;
    this.json = json;
  }

  get input(): ObservationInput {
    const input: ObservationInput = this.#input ?? JSON.parse(this.json);
    this.#input = input;
    return input;
  }
}
