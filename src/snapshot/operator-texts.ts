import type { Database } from "better-sqlite3";
import type { OperatorTextName, OperatorTexts } from "../contract/service/operator-texts.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";
import { inserter } from "./write/inserter.ts";

/** SHA-256 (hex) of all texts; null when there is none. They are an input of the release like the ledger. */
export function operatorTextsHash(texts: OperatorTexts): string | null {
  return Object.keys(texts).length === 0 ? null : sha256Hex(canonicalJson(texts));
}

/** Stores the texts and returns their hash. */
export function writeOperatorTexts(db: Database, texts: OperatorTexts): string | null {
  const insert = inserter(db, "operator_texts");
  for (const [name, markdown] of Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))
    insert([name, markdown]);
  return operatorTextsHash(texts);
}

export interface OperatorTextQueries {
  /** Markdown; undefined when the operator gave none of that name. */
  operatorText(name: OperatorTextName): string | undefined;
}

export function operatorTextQueries(db: Database): OperatorTextQueries {
  const stored = db.prepare<[string], string>("SELECT markdown FROM operator_texts WHERE name = ?").pluck();
  return { operatorText: (name) => stored.get(name) };
}
