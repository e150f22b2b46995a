/** The items ordered by a solar day of each; those of a day stay in their order. Days are few, so nothing is compared. */
export function byDay<Item>(items: readonly Item[], dayOf: (item: Item) => number): Item[] {
  const days = [...Map.groupBy(items, dayOf)].sort(([a], [b]) => a - b);
  return days.flatMap(([, own]) => own);
}
