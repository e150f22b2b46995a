import { expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { OperatorSettings, ReleaseSettings, releaseColumns } from "./release-settings.ts";
import { openSnapshot } from "./snapshot.ts";

const FULL = ReleaseSettings.parse({
  baseUrl: "https://presence.test",
  sourceRevision: "abc",
  externalTimestamping: true,
  securityContact: "mailto:security@presence.test",
  operatorName: "Us",
  operatorTexts: { about: "We are us." },
  incidents: [{ started: "2026-05-01T10:00:00Z", title: "Late", text: "The build failed." }],
  delivery: { email: "sent", webhooks: true },
});

test.each([
  ["every setting", FULL],
  ["the required ones", ReleaseSettings.parse({ baseUrl: "https://presence.test", sourceRevision: "abc" })],
])("a release holds %s as its columns say", (_, settings) => {
  using town = new TestTown();
  town.city("toronto");
  const snapshot = openSnapshot(town.build(town.seal(), "2026-05-01T13:00:00Z", settings).path);
  const release = snapshot.release();
  snapshot.close();
  const operator = OperatorSettings.parse(settings);
  expect(Object.keys(releaseColumns(operator))).toHaveLength(Object.keys(OperatorSettings.shape).length);
  expect(release).toMatchObject(releaseColumns(operator));
});

test("settings cross threads unchanged", () => {
  expect(ReleaseSettings.parse(structuredClone(FULL))).toEqual(FULL);
});
