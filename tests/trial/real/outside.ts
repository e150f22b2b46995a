import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { releasePaths } from "../../../src/kernel/home.ts";
import { startPresence } from "../../support/operations/presence-process.ts";
import { serveFiles } from "./plain-file-server.ts";

const Fault = z.object({ subject: z.string(), problem: z.string() });
const Verified = z.object({ checked: z.record(z.string(), z.int()), faults: z.array(Fault) });
const Replayed = z.object({
  documents: z.int(),
  numbers: z.int(),
  differences: z.array(z.object({ file: z.string(), value: z.string() })),
  faults: z.array(Fault),
});

/** What a stranger finds who has nothing but a plain file server with the release's files. */
export interface SeenFromOutside {
  readonly checked: Readonly<Record<string, number>>;
  readonly verifySeconds: number;
  readonly documents: number;
  readonly numbers: number;
  readonly replaySeconds: number;
  readonly faults: readonly string[];
}

/** Verifies and replays a release from a URL, in processes that know nothing else of it. */
export async function seenFromOutside(directory: string): Promise<SeenFromOutside> {
  await using server = await serveFiles(releasePaths(directory).site);
  const verified = await command("verify", server.url);
  const { checked, faults } = Verified.parse(verified.output);
  const replayed = await command("replay", server.url);
  const replay = Replayed.parse(replayed.output);
  return {
    checked,
    verifySeconds: verified.seconds,
    documents: replay.documents,
    numbers: replay.numbers,
    replaySeconds: replayed.seconds,
    faults: [
      ...[...faults, ...replay.faults].map(({ subject, problem }) => `${subject}: ${problem}`),
      ...replay.differences.map(({ file, value }) => `${file}: ${value} does not replay`),
    ],
  };
}

/** Throws what the command says when the check itself could not be made; faults that it finds are in its output. */
async function command(name: string, url: string): Promise<{ output: unknown; seconds: number }> {
  const options = { home: join(tmpdir(), "no-home-of-a-stranger") };
  const { stdout, stderr, seconds } = await startPresence([name, "--url", url, "--json"], options).done;
  if (stdout === "") throw new Error(`presence ${name} --url: ${stderr}`);
  return { output: JSON.parse(stdout), seconds };
}
