import { type Command, Option } from "@commander-js/extra-typings";
import { filesAtUrl, filesInFolder } from "../audit/public-files.ts";
import { releaseFolder } from "../operations/audit/audit.ts";
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

/** The files that the options name, or else those of the current release of this machine; `folder` is undefined for a URL. */
export function publicFiles(
  context: CommandContext,
  { release, url }: { readonly release?: string | undefined; readonly url?: string | undefined },
) {
  if (url !== undefined) return { files: filesAtUrl(url, { fetch }), folder: undefined, name: url };
  const name = release ?? homeOf(context).current;
  const folder = releaseFolder(name);
  return { files: filesInFolder(folder.site), folder, name };
}
