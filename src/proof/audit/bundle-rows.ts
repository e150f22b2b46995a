import { sha256Base64url } from "../../kernel/hash.ts";
import { isRowKind, ROW_BODIES } from "../../ledger/rows/rows.ts";
import { bodyOfRow, type Leaf, leafOfRow } from "../tlog/leaf.ts";
import { type Findings, problemOf } from "./findings.ts";

/** A row that says something about other rows. */
export interface Statement {
  readonly row: number;
  readonly kind: string;
  readonly body: unknown;
}

/** What the rows of a bundle say, each verified by itself. Plain data. */
export interface BundleRowsFound {
  readonly statements: readonly Statement[];
  readonly undisclosed: readonly { readonly row: number; readonly kind: string }[];
  readonly unreadable: readonly number[]; // rows without a leaf of theirs
  readonly lastDisclosed: number; // of the rows that state nothing about others; 0: none
  /** JSON, if wanted: row, kind and opened disclosure of each row with a verified public body. */
  readonly bodies: string | undefined;
}

const STATEMENTS: ReadonlySet<string> = new Set(["seal", "clock", "redaction"]);

/** Holds the rows of a bundle against their disclosures. Rows come in order. */
export class BundleRows {
  readonly #disclosures: ReadonlyMap<number, string>;
  readonly #findings: Findings;
  readonly #statements: Statement[] = [];
  readonly #undisclosed: { readonly row: number; readonly kind: string }[] = [];
  readonly #unreadable: number[] = [];
  readonly #bodies: string[] | undefined;
  #lastDisclosed = 0;

  constructor(disclosures: ReadonlyMap<number, string>, findings: Findings, withBodies: boolean) {
    this.#disclosures = disclosures;
    this.#findings = findings;
    this.#bodies = withBodies ? [] : undefined;
  }

  add(row: number, entry: Uint8Array): void {
    this.#findings.checked("leaves");
    const leaf = this.#leaf(row, entry);
    if (leaf === undefined) {
      this.#unreadable.push(row);
      return;
    }
    const disclosure = this.#disclosures.get(row);
    if (disclosure === undefined) this.#undisclosed.push({ row, kind: leaf.kind });
    else this.#disclosed(leaf, disclosure);
  }

  found(): BundleRowsFound {
    return {
      statements: this.#statements,
      undisclosed: this.#undisclosed,
      unreadable: this.#unreadable,
      lastDisclosed: this.#lastDisclosed,
      bodies: this.#bodies && `[${this.#bodies.join(",")}]`,
    };
  }

  #leaf(row: number, entry: Uint8Array): Leaf | undefined {
    try {
      return leafOfRow(row, latin1(entry));
    } catch (error) {
      this.#findings.fault(`row ${row}`, problemOf(error));
      return undefined;
    }
  }

  #disclosed(leaf: Leaf, disclosure: string): void {
    const { row, kind } = leaf;
    this.#findings.checked("disclosures");
    try {
      const { text, body } = publicBody(leaf, disclosure);
      if (STATEMENTS.has(kind)) this.#statements.push({ row, kind, body });
      else this.#lastDisclosed = row;
      this.#bodies?.push(`[${row},"${kind}",${text}]`);
    } catch (error) {
      this.#findings.fault(`row ${row}`, `its disclosure: ${problemOf(error)}`);
    }
  }
}

/** The public body that the leaf commits to, with the text of its disclosure. Throws for anything else. */
function publicBody(leaf: Leaf, disclosure: string): { text: string; body: unknown } {
  const text = Buffer.from(disclosure, "base64url").toString("utf8");
  const body = bodyOfRow(leaf, { digest: sha256Base64url(disclosure), text });
  if (!isRowKind(leaf.kind)) throw new Error(`the kind ${leaf.kind} is unknown`);
  ROW_BODIES[leaf.kind].parse(body);
  return { text, body };
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}
