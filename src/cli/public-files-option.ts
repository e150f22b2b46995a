import { type Command, Option } from "commander";
import { filesAtUrl, filesInFolder, type PublicFiles } from "../audit/public-files.ts";
import { type ReleaseFolder, releaseFolder } from "../operations/audit/audit.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";

export interface PublicFilesOptions {
  readonly release?: string;
  readonly url?: string;
}

/** What every command that reads a release's public files takes. */
export function withPublicFiles(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--release <folder>",
        "a release, or a copy of its site (default: the current release)",
      ).conflicts("url"),
    )
    .option("--url <address>", "a site; nothing but its public files is needed");
}

interface NamedFiles {
  readonly files: PublicFiles;
  readonly folder: ReleaseFolder | undefined; // undefined for a URL
  readonly name: string;
}

/** The files that the options name; the current release of this machine when they name none. */
export function publicFiles(context: CommandContext, { release, url }: PublicFilesOptions): NamedFiles {
  if (url !== undefined) return { files: filesAtUrl(url, { fetch }), folder: undefined, name: url };
  const name = release ?? homeOf(context).current;
  const folder = releaseFolder(name);
  return { files: filesInFolder(folder.site), folder, name };
}
