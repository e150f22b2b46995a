import type { Command } from "@commander-js/extra-typings";
import { IncidentText, IncidentTitle, type OperatorIncident } from "../../../contract/service/status.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import {
  type CommandContext,
  parseInstant,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { failureText } from "../../../operations/failure-text.ts";
import { closed, type Incidents, opened, updated } from "../../../operations/incidents/incident-changes.ts";
import { changeIncidents } from "../../../operations/incidents/incident-file.ts";
import { publishIncidents } from "../../../operations/incidents/publish-incidents.ts";
import { incidentsPath, readIncidents } from "../../../operations/operator-incidents.ts";
import { idOf } from "../../../resources/service/system-status.ts";
import { JSON_OPTION } from "../../command.ts";

const TEXT_OPTION = "--text <text>";

export function define(incident: Command, context: CommandContext): void {
  defineOpen(incident, context);
  defineUpdate(incident, context);
  defineClose(incident, context);
  incident
    .command("publish")
    .description("publish the incidents file as it is now, for instance after editing it")
    .option(...JSON_OPTION)
    .action((options) => publish(context, {}, options));
  incident
    .command("list")
    .description("list the incidents with their ids, newest first")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      const newestFirst = readIncidents(context.config).sort((a, b) => (a.started < b.started ? 1 : -1));
      if (json) printJson(context, { incidents: newestFirst.map(fields) });
      else printLines(context, newestFirst.flatMap(lines));
    });
}

function defineOpen(incident: Command, context: CommandContext): void {
  incident
    .command("open")
    .description("report an incident, and publish it at once")
    .requiredOption("--title <title>", "what is wrong, in a few words")
    .requiredOption(TEXT_OPTION, "what readers notice, and what is being done; plain text")
    .option("--started <time>", "when it began: a time with zone (default: now)")
    .option(...JSON_OPTION)
    .action(({ title, text, started, json }) => {
      const news = {
        title: checked(IncidentTitle, "--title", title),
        text: checked(IncidentText, TEXT_OPTION, text),
        started: instantOf(started, "--started"),
      };
      const known = new Set(readIncidents(context.config).map(idOf));
      const after = change(context, (all, now) => opened(all, news, now));
      const added = after.find((each) => !known.has(idOf(each)));
      return publish(context, { incident: added && idOf(added) }, { json });
    });
}

function defineUpdate(incident: Command, context: CommandContext): void {
  incident
    .command("update <id>")
    .description("add a text with the present time to an incident, and publish it at once")
    .requiredOption(TEXT_OPTION, "what is known now; plain text")
    .option(...JSON_OPTION)
    .action((id, { text, json }) => {
      const news = checked(IncidentText, TEXT_OPTION, text);
      change(context, (all, now) => updated(all, id, news, now));
      return publish(context, { incident: id }, { json });
    });
}

function defineClose(incident: Command, context: CommandContext): void {
  incident
    .command("close <id>")
    .description("end an incident, and publish it at once; it stays in the history")
    .option(TEXT_OPTION, "a last text; plain text")
    .option("--resolved <time>", "when it ended: a time with zone (default: now)")
    .option(...JSON_OPTION)
    .action((id, { text, resolved, json }) => {
      const end = {
        text: text === undefined ? undefined : checked(IncidentText, TEXT_OPTION, text),
        resolved: instantOf(resolved, "--resolved"),
      };
      change(context, (all, now) => closed(all, id, end, now));
      return publish(context, { incident: id }, { json });
    });
}

function change(context: CommandContext, to: (all: Incidents, now: number) => Incidents): OperatorIncident[] {
  return changeIncidents(context, (all) => to(all, context.clock()));
}

async function publish(
  context: CommandContext,
  about: { readonly incident?: string | undefined },
  { json }: { readonly json?: true | undefined },
): Promise<void> {
  const file = incidentsPath(context.config);
  try {
    const { patch, purge } = await publishIncidents(context);
    printResult(context, json, {
      ...about,
      file,
      release: patch?.summary.releaseId ?? null,
      release_kind: patch?.kind ?? null,
      release_seconds: patch?.summary.seconds ?? null,
      files_made: patch?.summary.filesWritten ?? null,
      files_linked: patch?.summary.filesLinked ?? null,
      purge: purge ?? null,
    });
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

function lines(incident: OperatorIncident): string[] {
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
