/** Processes items, `limit` at a time. Resolves when all have ended; throws the first error. */
export async function sideBySide<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: limit }, async () => {
    for (const item of waiting) await work(item);
  });
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
