/** How long one piece of work keeps this thread from all other work: its CPU time between two turns of the loop, which no other load changes. */

/** The longest turn in ms while `work` runs. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    timer = setImmediate(look);
  };
  let timer = setImmediate(look);
  await work();
  await new Promise((resolve) => setImmediate(resolve)); // the last turn counts, too
  clearImmediate(timer);
  return longest;
}
