// The addresses that the official libraries of OpenAI, Anthropic and Google call, read out of the
// installed packages.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryDir } from "../harness/repository-dir.ts";

const sourcesOf = (files: string): string[] =>
  globSync(join(repositoryDir, "node_modules", files)).map((file) => readFileSync(file, "utf8"));

/** `_client.post("/files")`, and the same with a template for parts of the path. */
const call = /_client\.(?:get|post|delete|put|patch|getAPIList)\((?:path)?[`'"]([^`'"?]+)/g;
/** Google's library fills the parts of its addresses in by this function. */
const googleAddress = /formatMap\('([^'?]+)/g;

const found = (sources: readonly string[], pattern: RegExp): string[] =>
  sources.flatMap((source) => [...source.matchAll(pattern)].map(([, path = ""]) => path));

const filled = (path: string): string => path.replaceAll(/\$\{[^}]*\}/g, "some-id");

function googlePath(path: string): string[] {
  if (path.startsWith("{model}:")) return [`/v1beta/models/m${path.slice("{model}".length)}`];
  if (path.startsWith("upload/"))
    return [
      `/upload/v1beta/${path.includes("}/files") ? "files" : "fileSearchStores/s:uploadToFileSearchStore"}`,
    ];
  // The rest of these names a collection that other addresses name too.
  return path.startsWith("{") ? [] : [`/v1beta/${path.replaceAll(/\{[^}]*\}/g, "some-id")}`];
}

/** Each once; ids are made up. */
export const libraryAddresses = (): string[] => [
  ...new Set([
    ...found(sourcesOf("openai/resources/**/*.mjs"), call).map((path) => `/v1${filled(path)}`),
    ...found(sourcesOf("@anthropic-ai/sdk/resources/**/*.mjs"), call).map(filled),
    ...found(sourcesOf("@google/genai/dist/node/index.mjs"), googleAddress).flatMap(googlePath),
  ]),
];
