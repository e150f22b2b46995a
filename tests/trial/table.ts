/** Rows below a header, in columns as wide as their widest cell: the first aligned left, the others right. Counts are grouped by thousands. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = [header, ...rows.map((row) => row.map(cellText))];
  const widths = header.map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  return texts.map((row) => `${line(row).trimEnd()}\n`).join("");
}

function cellText(cell: string | number): string {
  return typeof cell === "number" ? grouped(cell) : cell;
}

export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
