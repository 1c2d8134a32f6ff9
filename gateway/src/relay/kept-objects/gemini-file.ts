/**
 * A file of Gemini as the gateway names it. Its row has the address that requests name
 * (`file_data.file_uri`). Pure.
 */

import { buildBadAnswer, type ObjectApi } from "../creations/provider-objects.ts";
import { composeGeminiFileUri } from "../provider-states/state-references.ts";
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { besideGemini, type GeminiKind } from "./gemini-objects.ts";

/** `fileModel` is what row and breakers call it, as a file of another API. */
export const fileModel = "file";
const fileName = /^files\/[\w-]{1,256}$/;
const uriStart = composeGeminiFileUri("");

/**
 * The provider's address stands in the answer as requests must name it, whatever server the channel
 * is behind.
 */
const shown = (file: JsonRecord): JsonRecord => ({
  ...file,
  uri: composeGeminiFileUri(requireName(file)),
});

export const geminiFiles: GeminiKind = {
  kind: "gemini_file",
  noun: "file",
  member: "files",
  pathOf: (uri) => uri.slice(uriStart.length),
  shown,
};

/**
 * Uploads have a place of their own, which Google's API alone has; Vertex keeps no files. `$1` is
 * the version.
 */
export const besideGeminiUploads: ObjectApi = {
  ...besideGemini,
  address: /\/(v1(?:beta)?)\/models$/,
};
export const uploadPath = "upload/$1/files";

/** Throws `RelayRefused`. */
function requireName({ name }: JsonRecord): string {
  if (typeof name === "string" && fileName.test(name)) return name;
  throw buildBadAnswer("The provider's answer has no name of a file");
}

/** `isNamingFile` says whether the answer to the last piece names the file. */
export const isNamingFile = (answer: JsonRecord): boolean =>
  fileName.test(String(record(answer.file).name));

/** The file that an ended upload has become. Throws `RelayRefused`. */
export function buildUploadedFile(answer: JsonRecord): { uri: string; file: JsonRecord } {
  const file = record(answer.file);
  return { uri: composeGeminiFileUri(requireName(file)), file: shown(file) };
}
