/**
 * Letters that are missing, too many, wrong, or exchanged with the next (optimal string alignment). Anything above `most` is
 * `most + 1`: the time is that of the shorter text times `most`.
 */
export function slipsBetween(one: string, other: string, most: number): number {
  const over = most + 1;
  if (Math.abs(one.length - other.length) > most) return over;
  let [before, above, row]: [number[], number[], number[]] = [[], [], []];
  for (let at = 0; at <= Math.min(other.length, most); at += 1) above[at] = at;
  for (let at = 1; at <= one.length; at += 1) {
    if (fillRow({ one, other, at, most }, before, above, row) > most) return over;
    [before, above, row] = [above, row, before];
  }
  return Math.min(above[other.length] ?? over, over);
}

interface Row {
  readonly one: string;
  readonly other: string;
  readonly at: number; // letters of `one`
  readonly most: number;
}

/** Fills in the slips between `at` letters of one text and each beginning of the other that may do; returns the fewest. */
function fillRow(
  { one, other, at, most }: Row,
  before: readonly number[],
  above: readonly number[],
  row: number[],
): number {
  const over = most + 1;
  const from = Math.max(1, at - most);
  const to = Math.min(other.length, at + most);
  let left = from === 1 ? at : over;
  row[from - 1] = left;
  let fewest = left;
  for (let end = from; end <= to; end += 1) {
    const isSame = one[at - 1] === other[end - 1];
    const wrong = (above[end - 1] ?? over) + (isSame ? 0 : 1);
    const isExchanged = at > 1 && one[at - 1] === other[end - 2] && one[at - 2] === other[end - 1];
    const exchanged = isExchanged ? (before[end - 2] ?? over) + 1 : over;
    left = Math.min(wrong, (above[end] ?? over) + 1, left + 1, exchanged);
    row[end] = left;
    fewest = Math.min(fewest, left);
  }
  row[to + 1] = over; // rows are used again
  return fewest;
}
