import { share } from "../numbers.ts";

// 97.5 % quantile of the standard normal distribution, for a 95 % interval.
const Z = 1.959964;

/** Wilson's 95 % interval for a share (Wilson 1927), to four decimals. Throws RangeError unless 0 <= hits <= trials and there is a trial. */
export function wilsonInterval(
  hits: number,
  trials: number,
): { readonly low: number; readonly high: number } {
  if (trials < 1 || hits < 0 || hits > trials)
    throw new RangeError(`${hits} hits of ${trials} trials have no share`);
  const observed = hits / trials;
  const z2 = Z * Z;
  const middle = observed + z2 / (2 * trials);
  const reach = Z * Math.sqrt((observed * (1 - observed)) / trials + z2 / (4 * trials * trials));
  const whole = 1 + z2 / trials;
  return {
    low: Math.max(0, share(middle - reach, whole)),
    high: Math.min(1, share(middle + reach, whole)),
  };
}
