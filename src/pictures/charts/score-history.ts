import type { PresenceScoreResponse } from "../../contract/records/presence-score.ts";
import { score } from "../../render/words/format.ts";
import type { NoPicture, Picture } from "../picture.ts";
import { timeChart } from "./time-chart.ts";

type HistoryPoint = PresenceScoreResponse["history"][number];

interface ScoreHistoryFacts {
  readonly id: string;
  readonly name: string;
  readonly points: readonly HistoryPoint[]; // oldest first
}

const TICKS = [0, 25, 50, 75, 100];

/** Chart of a record's score by week, from 0 to 100; a sentence for fewer than two weeks. */
export function scoreHistory({ id, name, points }: ScoreHistoryFacts): Picture | NoPicture {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return { sentence: `${name} has no weekly score yet.` };
  if (points.length < 2)
    return {
      sentence: `${name} has one weekly score so far: ${score(last.pps)} on ${last.date}.`,
    };
  const caption = `Score of ${name} at the end of each week: ${score(first.pps)} on ${first.date}, ${score(last.pps)} on ${last.date}.`;
  const svg = timeChart({
    id,
    title: `Weekly score of ${name} over ${points.length} weeks`,
    description: `Line chart from 0 to 100, where 50 is the middle of the city's ranked records. Weeks without a score leave a gap. ${caption}`,
    points: points.map(({ date, pps }) => ({ day: date, value: pps })),
    ticks: TICKS,
    tickText: String,
  });
  return { svg, caption, legend: [], table: table(name, points) };
}

function table(name: string, points: readonly HistoryPoint[]) {
  return {
    caption: `Score of ${name} at the end of each week`,
    head: ["Week ending", "Score", "Observations in the previous 30 days"],
    rows: points.map(({ date, pps, observation_count_30d }) => [
      date,
      score(pps),
      observation_count_30d ?? "not known",
    ]),
  };
}
