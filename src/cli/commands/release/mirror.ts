import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { type CommandContext, printLines, printResult } from "../../../operations/context.ts";
import { mirrorSite } from "../../../operations/mirror/mirror.ts";
import { filesAtUrl, siteBounds } from "../../../proof/audit/site-files.ts";
import { JSON_OPTION, VKEY_OPTION, whole } from "../../command.ts";
import { MAX_HOURS_OPTION } from "../../public-files-option.ts";

const GB = 1_000_000_000;
const MAX_GB = 20;

export function define(command: Command, context: CommandContext): void {
  command
    .argument("<url>", "address of the service, for example https://presence.example")
    .argument("<folder>", "folder of the copy; a web server serves <folder>/current")
    .option(...VKEY_OPTION)
    .option(...MAX_HOURS_OPTION)
    .option("--max-gb <n>", "largest size of the copy", whole("--max-gb", 1_000_000), MAX_GB)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nRun it again after each release: what was withdrawn is deleted here, too. An interrupted run goes on where it was.",
    )
    .action(async (url, folder, { vkey, maxHours, maxGb, json }) => {
      const files = filesAtUrl(siteUrl(url), siteBounds({ maxHours, maxGb }));
      const result = await withProgress(context, "mirroring", (progress) =>
        mirrorSite({ files, folder, vkey, maxBytes: maxGb * GB, progress }),
      );
      printResult(context, json, { ...result });
      if (json !== true && vkey === undefined)
        printLines(context, [
          "",
          "Compare the key above with one that you know from elsewhere, or pass --vkey.",
        ]);
    });
}

function siteUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === "")
    return text;
  throw new OperatorError(`${text}: give the address of the service, for example https://presence.example`);
}
