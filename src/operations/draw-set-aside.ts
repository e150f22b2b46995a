import type { DrawSample } from "../intake/sources/tally.ts";
import { PARAMETERS } from "../method/parameters.ts";
import { drawSample } from "../method/review-sample.ts";

/** Draws the sample of a month's set-aside observations (docs/methodology.md). */
export const drawSetAside: DrawSample = (candidates) =>
  drawSample(candidates, PARAMETERS.samples.setAsideSize);
