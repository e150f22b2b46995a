/** Length of the prefix whose positions (from 0) satisfy `holds`, by bisection. No position after the prefix may satisfy it. */
export function prefixLength(length: number, holds: (position: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
