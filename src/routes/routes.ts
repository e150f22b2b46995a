import { fillPath } from "../kernel/text/path-template.ts";
import { cityGeoJson } from "../render/formats/city-geojson.ts";
import { csvText } from "../render/formats/csv.ts";
import { cityCoverageCsv } from "../render/formats/export-files.ts";
import { CSV_TYPE, GEOJSON_TYPE, JSON_TYPE, jsonText } from "../render/formats/media-types.ts";
import { apiExamples } from "../render/reference/api-examples.ts";
import { openApiDocument } from "../render/reference/openapi.ts";
import { cityPaths } from "../resources/cities/cities.ts";
import { explorerCsv, explorerTable } from "../resources/cities/explorer.ts";
import type { Resource } from "../resources/define.ts";
import { resources } from "../resources/index.ts";
import { feedRoutes } from "./feed-routes.ts";
import { machineRoutes } from "./machine-routes.ts";
import { fileRoute, type Route } from "./route.ts";

function jsonRoute(resource: Resource): Route {
  return {
    operationId: resource.operationId,
    path: resource.path,
    contentType: JSON_TYPE,
    ignoresUnknownQuery: false,
    ...(resource.dependsOnTime && { dependsOnTime: true }),
    filePath: (values) => `${fillPath(resource.path, values).slice(1)}.json`,
    enumerate: resource.enumerate,
    answer: (context, path, query) => jsonText(resource.read(context, path, query)),
  };
}

const CELLS_PATH = "/exports/cells/{city}.geojson";

/** Routes whose path equals their file's path. */
const fileRoutes: readonly Route[] = [
  {
    operationId: explorerCsv.operationId,
    path: explorerCsv.path,
    contentType: CSV_TYPE,
    ignoresUnknownQuery: false,
    filePath: (values) => fillPath(explorerCsv.path, values).slice(1),
    enumerate: explorerCsv.enumerate,
    answer: (context, path, query) => csvText(explorerCsv.read(context, path, query)),
  },
  fileRoute("exportExplorerTable", "/exports/explorer.csv", CSV_TYPE, (snapshot) =>
    csvText(explorerTable(snapshot)),
  ),
  fileRoute("exportCityCoverage", "/exports/city-coverage.csv", CSV_TYPE, cityCoverageCsv),
  {
    operationId: "exportCityCells",
    path: CELLS_PATH,
    contentType: GEOJSON_TYPE,
    ignoresUnknownQuery: true,
    filePath: (values) => fillPath(CELLS_PATH, values).slice(1),
    enumerate: cityPaths,
    answer: ({ snapshot }, { city = "" }) => cityGeoJson(snapshot, city),
  },
  fileRoute("getOpenApi", "/openapi.json", JSON_TYPE, (snapshot) => {
    const { baseUrl, sourceRevision } = snapshot.release();
    return jsonText(openApiDocument(baseUrl, sourceRevision));
  }),
  fileRoute("getApiExamples", "/api-examples.json", JSON_TYPE, (snapshot) =>
    jsonText(apiExamples(snapshot.release().sourceRevision)),
  ),
];

/** All public paths of the read interface, in the order of the interface. */
export const routes: readonly Route[] = [
  ...resources.filter((resource) => resource.operationId !== explorerCsv.operationId).map(jsonRoute),
  ...fileRoutes,
  ...feedRoutes,
  ...machineRoutes,
];
