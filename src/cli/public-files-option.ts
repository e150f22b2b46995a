import { type Command, Option } from "@commander-js/extra-typings";
import { filesAtUrl, filesInFolder, type PublicFiles } from "../audit/public-files.ts";
import { type ReleaseFolder, releaseFolder } from "../operations/audit/audit.ts";
import { type CommandContext, homeOf } from "../operations/context.ts";

/** The options of a command that reads the public files of a release. */
export function withPublicFiles(command: Command) {
  return command
    .addOption(
      new Option(
        "--release <folder>",
        "a release, or a copy of its site (default: the current release)",
      ).conflicts("url"),
    )
    .option("--url <address>", "a site; only its public files are read");
}

interface NamedFiles {
  readonly files: PublicFiles;
  readonly folder: ReleaseFolder | undefined; // undefined for a URL
  readonly name: string;
}

/** The files that the options name, or else those of the current release of this machine. */
export function publicFiles(
  context: CommandContext,
  { release, url }: { readonly release?: string | undefined; readonly url?: string | undefined },
): NamedFiles {
  if (url !== undefined) return { files: filesAtUrl(url, { fetch }), folder: undefined, name: url };
  const name = release ?? homeOf(context).current;
  const folder = releaseFolder(name);
  return { files: filesInFolder(folder.site), folder, name };
}
