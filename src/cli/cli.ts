#!/usr/bin/env node
/** The program's process: its arguments, environment, streams and exit code. */
import { join } from "node:path";
import { readConfig } from "../kernel/config/environment.ts";
import { systemUser } from "../kernel/home.ts";
import { systemRandom } from "../kernel/ids.ts";
import { outputTo } from "../kernel/text/terminal.ts";
import { systemClock } from "../kernel/time.ts";
import { endWithOutput, enterEnvironment, reportEnds } from "./process.ts";
import { runCommandLine } from "./program.ts";

const args = process.argv.slice(2);
const stderr = outputTo(process.stderr);
const say = (line: string) => stderr.write(line);
reportEnds(say);
endWithOutput(process.stdout, process.stderr, say);

process.exitCode = await runCommandLine(args, stderr, () => {
  enterEnvironment(args, say);
  const config = readConfig();
  for (const { name, hint } of config.mistyped)
    stderr.write(`WARNING: environment variable ${name} has no effect: ${hint}\n`);
  return {
    config,
    project: join(import.meta.dirname, "../.."),
    clock: systemClock,
    random: systemRandom,
    user: systemUser(),
    stdout: outputTo(process.stdout),
    stderr,
  };
});
