/** `npm run examples`: writes the responses of the example world to fixtures/examples. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXAMPLES_FOLDER, exampleFiles } from "./example-files.ts";

const files = await exampleFiles();
rmSync(EXAMPLES_FOLDER, { recursive: true, force: true });
for (const [file, text] of files) {
  const path = join(EXAMPLES_FOLDER, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
