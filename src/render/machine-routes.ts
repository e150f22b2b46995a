import { PublicError } from "../kernel/errors.ts";
import { dataPackage } from "./datapackage.ts";
import { describedFiles } from "./export-files.ts";
import { exportLicence } from "./export-licence.ts";
import { llmsTxt } from "./llms-txt.ts";
import { mcpContract } from "./mcp-contract.ts";
import {
  AI_CATALOG_TYPE,
  aiCatalog,
  registryEntry,
  SERVER_CARD_PATH,
  SERVER_CARD_TYPE,
  serverCard,
} from "./mcp-discovery.ts";
import { robotsTxt } from "./robots.ts";
import { fileRoute, JSON_TYPE, jsonText, type Route, TEXT_TYPE, XML_TYPE } from "./route.ts";
import { securityTxt } from "./security-txt.ts";
import { sitemapIndex, sitemapPart, sitemapParts } from "./sitemap.ts";
import { toolExamples } from "./tool-examples.ts";

/** Files that help programs find and understand the service. None contains a number of the methodology. */
export const machineRoutes: readonly Route[] = [
  fileRoute("getMcpContract", "/mcp/contract.json", JSON_TYPE, (snapshot) => {
    const { baseUrl, sourceRevision } = snapshot.release();
    return jsonText(mcpContract({ baseUrl, sourceRevision, examples: toolExamples() }));
  }),
  fileRoute("getServerCard", SERVER_CARD_PATH, SERVER_CARD_TYPE, (snapshot) =>
    jsonText(serverCard(snapshot.release().baseUrl)),
  ),
  fileRoute("getAiCatalog", "/.well-known/ai-catalog.json", AI_CATALOG_TYPE, (snapshot) =>
    jsonText(aiCatalog(snapshot.release().baseUrl)),
  ),
  fileRoute("getRegistryEntry", "/server.json", JSON_TYPE, (snapshot) =>
    jsonText(registryEntry(snapshot.release().baseUrl)),
  ),
  fileRoute("getLlmsTxt", "/llms.txt", TEXT_TYPE, (snapshot) => llmsTxt(snapshot.release().baseUrl)),
  fileRoute("getRobotsTxt", "/robots.txt", TEXT_TYPE, (snapshot) => robotsTxt(snapshot.release().baseUrl)),
  {
    ...fileRoute("getSecurityTxt", "/.well-known/security.txt", TEXT_TYPE, (snapshot) => {
      const release = snapshot.release();
      return securityTxt(found(release.securityContact ?? undefined), release);
    }),
    enumerate: (snapshot) => (snapshot.release().securityContact === null ? [] : [{}]),
  },
  fileRoute("getDataPackage", "/exports/datapackage.json", JSON_TYPE, (snapshot) =>
    jsonText(dataPackage({ ...snapshot.release(), files: describedFiles(snapshot) })),
  ),
  fileRoute("getExportLicence", "/exports/LICENSE.txt", TEXT_TYPE, (snapshot) =>
    exportLicence(snapshot.release()),
  ),
  fileRoute("getSitemap", "/sitemap.xml", XML_TYPE, sitemapIndex),
  {
    operationId: "getSitemapPart",
    path: "/sitemap-{part}.xml",
    contentType: XML_TYPE,
    ignoresUnknownQuery: true,
    filePath: ({ part }) => `sitemap-${part}.xml`,
    enumerate: sitemapParts,
    answer: ({ snapshot }, { part = "" }) => found(sitemapPart(snapshot, part)),
  },
];

/** Throws PublicError 404 for files that this release does not have. */
function found(text: string | undefined): string {
  if (text === undefined) throw new PublicError(404, "not found");
  return text;
}
