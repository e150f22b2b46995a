import { IncidentText, IncidentTitle, type OperatorIncident } from "../../contract/service/status.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { type CommandContext, parseInstant } from "../../operations/context.ts";
import { failureText } from "../../operations/failure-text.ts";
import {
  changeIncidents,
  closed,
  type Incidents,
  opened,
  publishIncidents,
  updated,
} from "../../operations/incidents.ts";
import { incidentsPath, readIncidents } from "../../operations/operator-texts.ts";
import { idOf } from "../../resources/service/system-status.ts";
import { type Bare, command, nothing } from "../command.ts";
import { Output } from "../output.ts";

const TEXT_OPTION = "--text <text>";

const open = command({
  path: "incident open",
  does: "open an incident, and publish it at once",
  takes: (bare: Bare) =>
    bare
      .requiredOption("--title <title>", "what is wrong, in a few words")
      .requiredOption(TEXT_OPTION, "the effect on readers, and what is being done; plain text")
      .option("--started <time>", "when it began: a time with zone (default: now)"),
  access: "none",
  run({ context }, { title, text, started }) {
    const news = {
      title: checked(IncidentTitle, "--title", title),
      text: checked(IncidentText, TEXT_OPTION, text),
      started: instantOf(started, "--started"),
    };
    const known = new Set(readIncidents(context.config).map(idOf));
    const after = change(context, (all, now) => opened(all, news, now));
    const added = after.find((each) => !known.has(idOf(each)));
    return publish(context, { incident: added && idOf(added) });
  },
});

const update = command({
  path: "incident update",
  does: "add a text with the present time to an incident, and publish it at once",
  takes: (bare: Bare) => bare.argument("<id>").requiredOption(TEXT_OPTION, "what is known now; plain text"),
  access: "none",
  run({ context }, { text }, id) {
    const news = checked(IncidentText, TEXT_OPTION, text);
    change(context, (all, now) => updated(all, id, news, now));
    return publish(context, { incident: id });
  },
});

const close = command({
  path: "incident close",
  does: "end an incident, and publish it at once; it stays in the history",
  takes: (bare: Bare) =>
    bare
      .argument("<id>")
      .option(TEXT_OPTION, "a last text; plain text")
      .option("--resolved <time>", "when it ended: a time with zone (default: now)"),
  access: "none",
  run({ context }, { text, resolved }, id) {
    const end = {
      text: text === undefined ? undefined : checked(IncidentText, TEXT_OPTION, text),
      resolved: instantOf(resolved, "--resolved"),
    };
    change(context, (all, now) => closed(all, id, end, now));
    return publish(context, { incident: id });
  },
});

const publishFile = command({
  path: "incident publish",
  does: "publish the incidents file, for example after editing it",
  takes: nothing,
  access: "none",
  run: ({ context }) => publish(context, {}),
});

const listIncidents = command({
  path: "incident list",
  does: "list the incidents with their ids, newest first",
  takes: nothing,
  access: "none",
  run({ context }) {
    const newestFirst = readIncidents(context.config).sort((a, b) => (a.started < b.started ? 1 : -1));
    return new Output({
      json: { incidents: newestFirst.map(fields) },
      text: newestFirst.flatMap(incidentLines),
    });
  },
});

export const commands = [open, update, close, publishFile, listIncidents];

function change(context: CommandContext, to: (all: Incidents, now: number) => Incidents): OperatorIncident[] {
  return changeIncidents(context, (all) => to(all, context.clock()));
}

async function publish(context: CommandContext, about: { readonly incident?: string | undefined }) {
  const file = incidentsPath(context.config);
  try {
    const { patch, purge } = await publishIncidents(context);
    return {
      ...about,
      file,
      release: patch?.summary.releaseId ?? null,
      release_kind: patch?.kind ?? null,
      release_seconds: patch?.summary.seconds ?? null,
      files_made: patch?.summary.filesWritten ?? null,
      files_linked: patch?.summary.filesLinked ?? null,
      purge: purge ?? null,
    };
  } catch (cause) {
    throw new OperatorError(
      `${file} is written, but the published release does not show it: ${failureText(cause)}. Solve that, then run \`presence incident publish\``,
      { cause },
    );
  }
}

function fields(incident: OperatorIncident) {
  return { id: idOf(incident), ...incident, updates: incident.updates ?? [] };
}

function incidentLines(incident: OperatorIncident): string[] {
  const { started, resolved, title, text, updates = [] } = incident;
  const end = resolved === null ? "open" : `resolved ${resolved}`;
  return [
    `${idOf(incident)}  ${started}  ${end}  ${title}`,
    `  ${text}`,
    ...updates.map((update) => `  ${update.at}  ${update.text}`),
  ];
}

function checked(schema: typeof IncidentText, option: string, text: string): string {
  const { data, error } = schema.safeParse(text);
  if (data !== undefined) return data;
  const [name] = option.split(" ");
  throw new OperatorError(
    `${name}: ${error.issues[0]?.message ?? "is invalid"} (got ${text.length} characters)`,
  );
}

function instantOf(text: string | undefined, option: string): number | undefined {
  return text === undefined ? undefined : parseInstant(text, option);
}
