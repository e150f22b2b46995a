import { describe, expect, test } from "vitest";
import { TestTown } from "../../tests/support/release/town-release.ts";
import { OperatorSettings, ReleaseSettings, releaseColumns } from "./release-settings.ts";
import { openSnapshot } from "./snapshot.ts";

describe("release settings", () => {
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
});

describe("operator texts", () => {
  const AS_OF = "2026-05-01T13:00:00Z";
  const texts = { terms: "# Terms\n", about: "We are *us*." };

  test("the operator's name and texts are stored, and each of them makes another release", () => {
    using town = new TestTown();
    town.city("toronto");
    const size = town.seal();
    const built = town.build(size, AS_OF, { operatorName: "Us", operatorTexts: texts });
    const others = [
      town.build(size, AS_OF),
      town.build(size, AS_OF, { operatorName: "Us" }),
      town.build(size, AS_OF, { operatorTexts: texts }),
      town.build(size, AS_OF, { operatorName: "Us", operatorTexts: { ...texts, about: "We are us." } }),
    ];
    expect(new Set([built, ...others].map(({ releaseId }) => releaseId)).size).toBe(5);
    const snapshot = openSnapshot(built.path);
    expect([snapshot.operatorText("about"), snapshot.operatorText("privacy")]).toEqual([
      "We are *us*.",
      undefined,
    ]);
    const { operatorName, operatorTextsHash } = snapshot.release();
    snapshot.close();
    expect([operatorName, operatorTextsHash]).toEqual(["Us", expect.stringMatching(/^[0-9a-f]{64}$/)]);
    // A replay knows the texts by their hash alone.
    expect(town.build(size, AS_OF, { operatorName: "Us", operatorTextsHash }).releaseId).toBe(
      built.releaseId,
    );
  });

  test("the order in which texts were read makes no difference", () => {
    using town = new TestTown();
    town.city("toronto");
    const size = town.seal();
    const reversed = Object.fromEntries(Object.entries(texts).reverse());
    const ids = [texts, reversed].map(
      (operatorTexts) => town.build(size, AS_OF, { operatorTexts }).releaseId,
    );
    expect(ids[0]).toBe(ids[1]);
  });
});
