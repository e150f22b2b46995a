/** Returns axis ticks from 0 to a round number not below `largest`, in at most five equal steps. Throws RangeError for an invalid length. */
export function axisFrom0(largest: number): readonly number[] {
  if (!Number.isFinite(largest) || largest < 0)
    throw new RangeError(`${largest} cannot be drawn as a length`);
  if (largest === 0) return [0, 1];
  const step = roundStep(largest / 5);
  return Array.from({ length: Math.ceil(largest / step - 1e-9) + 1 }, (_, at) =>
    Number((at * step).toPrecision(12)),
  );
}

/** Returns the smallest round step (…, 0.5, 1, 2, 5, 10, …) not below a step. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}
