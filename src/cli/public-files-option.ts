import { type Command, Option } from "@commander-js/extra-typings";
import { releaseFolder } from "../operations/audit/audit.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";
import { DEFAULT_BOUNDS, filesAtUrl, filesInFolder, siteBounds } from "../proof/audit/site-files.ts";
import { whole } from "./options.ts";

export const MAX_HOURS_OPTION = [
  "--max-hours <n>",
  "longest time to read the site",
  whole("--max-hours", 10_000),
  DEFAULT_BOUNDS.maxHours,
] as const;

/** The options of a command that reads the public files of a release. */
export function withPublicFiles(command: Command) {
  return command
    .addOption(
      new Option(
        "--release <folder>",
        "a release, or a copy of its site (default: the current release)",
      ).conflicts("url"),
    )
    .option("--url <address>", "a site; only its public files are read")
    .option(...MAX_HOURS_OPTION)
    .option(
      "--max-gb <n>",
      "largest number of bytes to read from the site",
      whole("--max-gb", 1_000_000),
      DEFAULT_BOUNDS.maxGb,
    );
}

export interface PublicFilesOptions {
  readonly release?: string | undefined;
  readonly url?: string | undefined;
  readonly maxHours?: number;
  readonly maxGb?: number;
}

/** The files that the options name, or else those of the current release of this machine; `folder` is undefined for a URL. */
export function publicFiles(context: CommandContext, { release, url, ...bounds }: PublicFilesOptions) {
  if (url !== undefined)
    return {
      files: filesAtUrl(url, siteBounds({ ...DEFAULT_BOUNDS, ...bounds })),
      folder: undefined,
      name: url,
    };
  const name = release ?? homeOf(context).current;
  const folder = releaseFolder(name);
  return { files: filesInFolder(folder.site), folder, name };
}
