import type { RandomBytes } from "../kernel/ids.ts";

const POOL_BYTES = 65_536;

/** Draws from `random` in large pieces: a system call per row would cost as much as the row's hashes. */
export function pooled(random: RandomBytes): RandomBytes {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (size > POOL_BYTES) return random(size);
    if (used + size > pool.length) {
      pool = random(POOL_BYTES);
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}
