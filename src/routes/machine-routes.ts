import { PublicError } from "../kernel/errors.ts";
import { dataPackage } from "../render/formats/datapackage.ts";
import { describedFiles } from "../render/formats/export-files.ts";
import { exportLicence } from "../render/formats/export-licence.ts";
import { JSON_TYPE, jsonText, TEXT_TYPE, XML_TYPE } from "../render/formats/media-types.ts";
import { sitemapIndex, sitemapPart, sitemapParts } from "../render/formats/sitemap.ts";
import { llmsTxt } from "../render/guides/llms-txt.ts";
import { mcpContract } from "../render/reference/mcp-contract.ts";
import {
  AI_CATALOG_TYPE,
  aiCatalog,
  registryEntry,
  SERVER_CARD_PATH,
  SERVER_CARD_TYPE,
  serverCard,
} from "../render/reference/mcp-discovery.ts";
import { toolExamples } from "../render/reference/tool-examples.ts";
import { robotsTxt } from "./robots.ts";
import { fileRoute, type Route } from "./route.ts";
import { securityTxt } from "./security-txt.ts";

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
