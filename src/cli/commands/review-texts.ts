/** The queue of reviewers as text: what waits by kind, a line each, and one item or group with what a decision needs. */
import type {
  QueueChoice,
  QueueGroup,
  QueueItem,
  QueueSubject,
  ReviewQueue,
} from "../../review/queue/model.ts";

/** What waits by kind, with what a decision changes, and what waits for nobody. */
export function countLines({ counts, not_asked }: ReviewQueue): string[] {
  if (counts.length === 0) return ["nothing waits for a decision", ...notAskedLines(not_asked)];
  const width = Math.max(...counts.map(({ kind }) => kind.length));
  return [
    ...counts.map(({ kind, decisions, items, groups, changes }) => {
      const of = groups === 0 ? "" : ` (${plural(items, "item")}, ${plural(groups, "group")})`;
      return `${`${kind}:`.padEnd(width + 1)} ${plural(decisions, "decision")}${of}: ${changes}`;
    }),
    ...notAskedLines(not_asked),
  ];
}

function notAskedLines(notAsked: ReviewQueue["not_asked"]): string[] {
  return notAsked.map(
    ({ what, number, why }) => `not asked: ${number.toLocaleString("en-US")} ${what}: ${why}`,
  );
}

export function groupLine({ key, waits_since, question, items }: QueueGroup): string {
  return `${key}  since ${day(waits_since)}  ${plural(items, "item")}: ${question}`;
}

export function itemLine({ id, waits_since, city, question, why }: QueueItem): string {
  return `${id}  since ${day(waits_since)}  ${city ?? "-"}: ${question} ${why}`;
}

export function itemText(item: QueueItem): string[] {
  const { id, question, why, version, facts, subject, candidates } = item;
  return [
    ...[`${id}: ${question}`, `  ${why}`],
    ...facts.map(({ label, value }) => `  ${label}: ${value}`),
    ...(version === null ? [] : [`  version ${version} (--expect ${version})`]),
    ...(subject === null ? [] : ["", ...subjectLines("It", subject)]),
    ...candidates.flatMap((candidate, at) => ["", ...subjectLines(`Candidate ${at + 1}`, candidate)]),
    ...choiceLines(item.choices, id),
    ...(item.asked_in === null ? [] : ["", `It is asked in the group ${item.asked_in}.`]),
    ...(item.groups.length === 0 ? [] : ["", `Other groups: ${item.groups.join(", ")}`]),
  ];
}

export function groupText(group: QueueGroup): string[] {
  const { key, question, items, cities, sample, choices } = group;
  return [
    `${key}: ${question}`,
    `  ${plural(items, "item")}: ${cities.map((city) => `${city.items} in ${city.city ?? "no city"}`).join(", ")}`,
    ...["", items > sample.length ? `A random sample of ${sample.length}:` : "Its items:"],
    ...sample.map(({ id, name, detail }) => `  ${id}  “${name}” ${detail}`.trimEnd()),
    ...choiceLines(choices, key),
  ];
}

function subjectLines(label: string, subject: QueueSubject): string[] {
  const { public_id, row, website, industry, names, observers, observations, counting, place } = subject;
  const id = public_id === null ? "" : ` (${public_id}, row ${row})`;
  const seen = names.map(({ name, seen: times }) => `“${name}” (${times})`).join(", ");
  const who = observers.map(({ tag, observations: own }) => `${tag} (${own})`).join(", ");
  const lines: readonly (readonly [string, string | null])[] = [
    ["names as seen", seen],
    ["seen", seenText(subject)],
    ["observations", `${observations}, of which ${counting} count`],
    ["observers", who],
    ["signs", subject.assets.map(({ type, number }) => `${number} ${type}`).join(", ")],
    ["website", website],
    ["industry", industry === null ? null : `${industry.code} ${industry.title} (${industry.method})`],
    ["near", place === null ? null : `${place.lat}, ${place.lng}`],
    ["distance", subject.distance_m === null ? null : `${subject.distance_m} m`],
  ];
  return [
    `${label}: “${subject.name}”${id}`,
    ...lines.flatMap(([name, value]) =>
      value === null || value === "" ? [] : [`  ${name.padEnd(14)} ${value}`],
    ),
  ];
}

function seenText({ first_seen, last_seen }: QueueSubject): string | null {
  if (first_seen === null || last_seen === null) return null;
  return first_seen === last_seen ? first_seen : `${first_seen} to ${last_seen}`;
}

/** What can be answered, as it is typed. */
function choiceLines(choices: readonly QueueChoice[], subject: string): string[] {
  return choices.flatMap(({ action, label, value, needs, reasons, effect }) => {
    const what =
      needs === "industry" ? " CODE" : action === "accept" && value !== null ? ` --into ${value}` : "";
    return [
      "",
      `${label}: ${effect}`,
      `  presence review ${action} ${action === "classify" ? subject.replace(/^industry-/, "") : subject}${what} --as ROLE --reason ${reasons.join("|")}`,
    ];
  });
}

function day(time: string): string {
  return time.slice(0, "2026-05-01".length);
}

function plural(number: number, what: string): string {
  return `${number.toLocaleString("en-US")} ${what}${number === 1 ? "" : "s"}`;
}
