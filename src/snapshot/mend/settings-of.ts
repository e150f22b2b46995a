import { OperatorTextName } from "../../contract/service/status.ts";
import { ReleaseSettings } from "../release-settings.ts";
import type { Snapshot } from "../snapshot.ts";

/** The settings and counts that a release was built with. */
export function settingsOf(snapshot: Snapshot): ReleaseSettings {
  const release = snapshot.release();
  const texts = OperatorTextName.options.map((name) => [name, snapshot.operatorText(name)] as const);
  return ReleaseSettings.parse({
    ...release,
    operatorTexts: Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    incidents: snapshot.incidents(),
    activity: snapshot.activity(),
    demand: snapshot.demandInput(),
    reportCounts: snapshot.reportCounts(),
  });
}
