/** Another outline of a city: what the preview says, and what the code does. */
import { expect, test } from "vitest";
import { z } from "zod";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { homePaths } from "../../kernel/home.ts";

const Preview = z.looseObject({ confirm: z.string() });

test("an outline is previewed with what it loses, and replaced with the code", async () => {
  using town = new TestTown();
  town.city("toronto");
  const record = town.record("Alpha");
  town.see(record, town.asset(record), "a", "2026-04-28T10:00:00Z");
  const [city] = [...town.writer.deskRows.rows()].filter(({ kind }) => kind === "city");
  if (city?.kind !== "city" || city.body.details === null) throw new Error("no city");
  town.writer.intake.addCity("toronto", city.id, city.body.details);
  town.writer.close();
  const run = (...args: string[]) =>
    presenceAt(homePaths(town.ledger.folder), [...args, "--clock", "2026-05-02T12:00:00Z"]);
  const outline = ["city", "outline", "toronto", "--radius-km", "1"];
  const shown = Preview.parse(JSON.parse((await run(...outline, "--json")).stdout));
  expect(shown).toMatchObject({ city: "toronto", observations_outside: 0, cells_of_others: 0, gained: 0 });
  await expect(run(...outline, "--confirm", "00000000")).rejects.toThrow("does not match");
  const { stdout } = await run(...outline, "--confirm", shown.confirm);
  expect(stdout).toMatch(/^row +\d+\ncells +\d+\ndenominator +unreviewed$/m);
  await expect(run(...outline)).rejects.toThrow("already has this outline");
  await expect(run("city", "outline", "nowhere", "--radius-km", "1")).rejects.toThrow('no city "nowhere"');
});
