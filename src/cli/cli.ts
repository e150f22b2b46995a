#!/usr/bin/env node
/** The program's process: its arguments, environment, streams and exit code. */
import { join } from "node:path";
import { readConfig } from "../kernel/config/environment.ts";
import { systemUser } from "../kernel/home.ts";
import { systemRandom } from "../kernel/ids.ts";
import { outputTo } from "../kernel/text/terminal.ts";
import { systemClock } from "../kernel/time.ts";
import { enterEnvironment, reportUnfinished } from "./process.ts";
import { runCommandLine } from "./program.ts";

reportUnfinished();
const args = process.argv.slice(2);
const stderr = outputTo(process.stderr);

// A reader may close the output early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});

process.exitCode = await runCommandLine(args, stderr, () => {
  enterEnvironment(args, (line) => stderr.write(line));
  return {
    config: readConfig(),
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    user: systemUser(),
    stdout: outputTo(process.stdout),
    stderr,
  };
});
