import { expect, test } from "vitest";
import { forbiddenImports } from "./astro-imports.ts";

test("names imports of a page that leave its rooms, in one line or several, and in scripts", () => {
  const page = `---
import Base from "../../components/Base.astro";
import { openState } from "../../state/open-state.ts";
import {
  appendRow,
} from "../../ledger/writer.ts";
import "astro";
---
<script>
  import { run } from "../../server/main.ts";
</script>`;
  const found = forbiddenImports("src/pages/city/page.astro", page).map((line) => line.split(":")[0]);
  expect(found).toEqual([
    "src/pages/city/page.astro → src/state/open-state.ts",
    "src/pages/city/page.astro → src/ledger/writer.ts",
    "src/pages/city/page.astro → src/server/main.ts",
  ]);
});

test("names a file in a folder that is no room", () => {
  expect(forbiddenImports("src/attic/page.astro", "")).toEqual([
    "src/attic/page.astro: build-scripts/rooms.ts names no room for it",
  ]);
});
