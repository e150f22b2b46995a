import type { Database } from "better-sqlite3";
import type { OperatorTextName, OperatorTexts } from "../contract/service/status.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { inserter, table, text, values } from "../kernel/table.ts";
import { canonicalJson } from "../kernel/text/canonical-json.ts";

export const operatorTexts = table("operator_texts", {
  public: { name: text().primaryKey(), markdown: text() },
});

/** SHA-256 (hex) of all texts; null without texts. They are an input of the release like the ledger. */
export function operatorTextsHash(texts: OperatorTexts): string | null {
  return Object.keys(texts).length === 0 ? null : sha256Hex(canonicalJson(texts));
}

/** Stores the texts and returns their hash. */
export function writeOperatorTexts(db: Database, texts: OperatorTexts): string | null {
  const insert = inserter(db, operatorTexts);
  for (const [name, markdown] of Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))
    insert({ name, markdown });
  return operatorTextsHash(texts);
}

export function operatorTextQueries(db: Database) {
  /** Markdown; undefined when the operator has no text of that name. */
  return {
    operatorText: values<[name: OperatorTextName], string>(
      db,
      "SELECT markdown FROM operator_texts WHERE name = ?",
    ).get,
  };
}
