import type { ScoreComponents } from "../../contract/records/presence-score.ts";
import { percent, score } from "../../render/words/format.ts";
import { SCORE_PART_MEANINGS, SCORE_PART_WORDS } from "../../render/words/words.ts";
import type { NoPicture, Picture } from "../picture.ts";
import { bars } from "./bars.ts";

interface ComponentBarsFacts {
  readonly id: string;
  readonly name: string;
  readonly components: Pick<ScoreComponents, "raw_score" | "parts">;
}

type Part = ScoreComponents["parts"][number];

/** Components of a raw score. All bars share one scale, so filled lengths sum to the score and outlines to 100. */
export function componentBars({ id, name, components }: ComponentBarsFacts): Picture | NoPicture {
  const { raw_score, parts } = components;
  const widest = Math.max(...parts.map(({ weight }) => weight));
  if (parts.length === 0 || widest === 0) return { sentence: `The score of ${name} has no components.` };
  const caption = `The raw score of ${name} is ${score(raw_score)} of 100 points, the sum of ${parts.length} components.`;
  const svg = bars(
    {
      id,
      title: `Components of the raw score of ${name}`,
      description: `Horizontal bars in points. Each outline shows the maximum points. ${caption}`,
    },
    parts.map((part) => ({
      name: SCORE_PART_WORDS[part.key],
      value: `${part.points.toFixed(1)} of ${(100 * part.weight).toFixed(0)}`,
      length: part.points / (100 * widest),
      track: part.weight / widest,
    })),
  );
  return { svg, caption, legend: [], table: table(name, parts) };
}

function table(name: string, parts: readonly Part[]) {
  return {
    caption: `Components of the raw score of ${name}. Points are 100 × weight × value`,
    head: ["Part", "Meaning", "Value (0 to 1)", "Weight", "Points"],
    rows: parts.map(({ key, value, weight, points }) => [
      SCORE_PART_WORDS[key],
      SCORE_PART_MEANINGS[key],
      value.toFixed(3),
      percent(weight),
      score(points),
    ]),
  };
}
