import { stringify } from "csv-stringify/sync";
import { EXPLORER_COLUMNS, type ExplorerRow } from "../../contract/cities/explorer.ts";

/** Renders the explorer's table with the exact header of interface 4.8. */
export function csvText(rows: readonly ExplorerRow[]): string {
  return tableCsv(EXPLORER_COLUMNS, rows);
}

/**
 * Renders RFC 4180 text. Null is an empty cell. Text that a spreadsheet would run as a formula gets a leading apostrophe.
 */
export function tableCsv<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  return stringify([...rows], {
    header: true,
    columns: [...columns],
    record_delimiter: "windows",
    escape_formulas: true,
    quoted_match: /[\r\n]/, // the library would leave a lone CR or LF unquoted
  });
}
