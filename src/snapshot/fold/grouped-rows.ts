/** The rows of each place from 1 to `lastPlace`, in order; `places` has a place for each row, 0 for a row of none. */
export function groupedRows(lastPlace: number, places: Uint32Array): Uint32Array[] {
  const counts = new Uint32Array(lastPlace + 1);
  for (const place of places) counts[place] = (counts[place] ?? 0) + 1;
  counts[0] = 0;
  const grouped = Array.from(counts, (count) => new Uint32Array(count));
  const filled = new Uint32Array(lastPlace + 1);
  for (const [row, place] of places.entries()) {
    const own = grouped[place];
    if (place === 0 || own === undefined) continue;
    const at = filled[place] ?? 0;
    own[at] = row;
    filled[place] = at + 1;
  }
  return grouped;
}
